# Packages found the same way when penstock is built and when a program uses the installed library.
find_package(PkgConfig REQUIRED)
find_package(JPEG REQUIRED)
pkg_check_modules(PENSTOCK_SPNG REQUIRED IMPORTED_TARGET GLOBAL spng)
pkg_check_modules(PENSTOCK_WEBP REQUIRED IMPORTED_TARGET GLOBAL libwebp libwebpdemux)
pkg_check_modules(PENSTOCK_HWY REQUIRED IMPORTED_TARGET GLOBAL libhwy)
pkg_check_modules(PENSTOCK_ZSTD REQUIRED IMPORTED_TARGET GLOBAL libzstd)

# Audio beyond WAV: sndfile reads FLAC, Ogg and MP3, soxr resamples, hdf5 holds what `penstock audio build` makes. All are
# optional: AUTO takes what is there, ON wants all of them, OFF none. An installed package knows what it was built with.
if(NOT DEFINED PENSTOCK_AUDIO_MODULES)
  set(PENSTOCK_AUDIO AUTO CACHE STRING "libraries for audio: AUTO, ON or OFF")
  if(DEFINED PENSTOCK_SOUND)  # deprecated name
    message(DEPRECATION "PENSTOCK_SOUND has been renamed to PENSTOCK_AUDIO; the old name will be removed in the next minor version")  # deprecated name
    set(PENSTOCK_AUDIO "${PENSTOCK_SOUND}")  # deprecated name
  endif()
  set(PENSTOCK_AUDIO_MODULES "")
  foreach(module sndfile soxr hdf5)
    if(PENSTOCK_AUDIO STREQUAL "ON")
      list(APPEND PENSTOCK_AUDIO_MODULES ${module})
    elseif(PENSTOCK_AUDIO STREQUAL "AUTO")
      pkg_check_modules(PENSTOCK_PROBE_${module} QUIET ${module})
      if(PENSTOCK_PROBE_${module}_FOUND)
        list(APPEND PENSTOCK_AUDIO_MODULES ${module})
      else()
        message(STATUS "penstock: ${module} was not found; what needs it will say so")
      endif()
    elseif(NOT PENSTOCK_AUDIO STREQUAL "OFF")
      message(FATAL_ERROR "PENSTOCK_AUDIO is AUTO, ON or OFF, not ${PENSTOCK_AUDIO}")
    endif()
  endforeach()
endif()
foreach(module ${PENSTOCK_AUDIO_MODULES})
  string(TOUPPER ${module} upper)
  pkg_check_modules(PENSTOCK_${upper} REQUIRED IMPORTED_TARGET GLOBAL ${module})
endforeach()
