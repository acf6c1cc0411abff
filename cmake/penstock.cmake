# Settings shared by every target, third-party packages, and the two functions each folder uses.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(PENSTOCK_CCACHE ccache)
if(PENSTOCK_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PENSTOCK_CCACHE}")
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
include(penstock_third_party)

add_library(penstock_settings INTERFACE)
target_include_directories(penstock_settings INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
# Results must not depend on whether a target has fused multiply-add: it is used only where asked for by name.
target_compile_options(penstock_settings INTERFACE $<BUILD_INTERFACE:-ffp-contract=off>)
target_compile_options(penstock_settings INTERFACE $<BUILD_INTERFACE:-Wall$<SEMICOLON>-Wextra$<SEMICOLON>-Wpedantic>)
if(PENSTOCK_WERROR)
  target_compile_options(penstock_settings INTERFACE $<BUILD_INTERFACE:-Werror>)
endif()
# gcc takes a file that others are compiled with for a header, where types of an anonymous namespace would be a mistake.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(penstock_settings INTERFACE $<BUILD_INTERFACE:-Wno-subobject-linkage>)
endif()
# Vector code is slow without optimisation, in tests too; under sanitizers optimising it takes minutes.
# Compiling tests and the command line takes longer than running them, above all with sanitizers.
if(PENSTOCK_SANITIZE)
  set(PENSTOCK_KERNEL_OPTIONS -O1 -Wno-psabi)
  set(PENSTOCK_FRINGE_OPTIONS -O0)
else()
  set(PENSTOCK_KERNEL_OPTIONS -O3 -Wno-psabi)
  set(PENSTOCK_FRINGE_OPTIONS -O1)
endif()

if(PENSTOCK_SANITIZE)
  target_compile_options(penstock_settings INTERFACE
    $<BUILD_INTERFACE:-fsanitize=${PENSTOCK_SANITIZE}$<SEMICOLON>-fno-omit-frame-pointer$<SEMICOLON>-fno-sanitize-recover=all>)
  target_link_options(penstock_settings INTERFACE $<BUILD_INTERFACE:-fsanitize=${PENSTOCK_SANITIZE}>)
  # What the sanitizers add makes gcc 12 believe that members of std::optional are read before they are written.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(penstock_settings INTERFACE $<BUILD_INTERFACE:-Wno-maybe-uninitialized>)
  endif()
endif()

# penstock_library(<folder> SOURCES a.cpp ... [USES <folder> ...] [LINK <third-party> ...])
function(penstock_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LINK" ${ARGN})
  add_library(penstock_${folder} STATIC ${ARG_SOURCES})
  add_library(penstock::${folder} ALIAS penstock_${folder})
  set_target_properties(penstock_${folder} PROPERTIES EXPORT_NAME ${folder})
  target_link_libraries(penstock_${folder} PUBLIC penstock_settings)
  foreach(used ${ARG_USES})
    target_link_libraries(penstock_${folder} PUBLIC penstock_${used})
  endforeach()
  target_link_libraries(penstock_${folder} PRIVATE fmt::fmt ${ARG_LINK})
  set_property(GLOBAL APPEND PROPERTY PENSTOCK_LIBRARIES penstock_${folder})
endfunction()

# penstock_split_tests(<sources> <tests>): of the list named <sources>, tests and what only they use go to <tests>.
function(penstock_split_tests sources tests)
  set(found ${${sources}})
  set(kept ${${sources}})
  list(FILTER found INCLUDE REGEX "(^|/)test_[^/]*$|_test\\.cpp$")
  list(FILTER kept EXCLUDE REGEX "(^|/)test_[^/]*$|_test\\.cpp$")
  set(${sources} ${kept} PARENT_SCOPE)
  set(${tests} ${found} PARENT_SCOPE)
endfunction()

# penstock_kernels(a.cpp ...): those that are compiled for several targets get what that needs. SSSE3 and SVE are left out:
# nobody has tested them here; the scalar target is kept where a better one is certain, as the reference.
function(penstock_kernels)
  # What moves single bytes has a version for CPUs with lookups in 128 of them (AVX-512 VBMI), which is avx512 by name.
  set(byte_movers kernels/byte_tables.cpp kernels/channels.cpp kernels/color.cpp kernels/mirror.cpp kernels/write_rows.cpp)
  foreach(source ${ARGN})
    file(STRINGS ${source} targets REGEX "HWY_TARGET_INCLUDE")
    if(targets)
      set(lookups "")
      if(source IN_LIST byte_movers)
        set(lookups HWY_WANT_AVX3_DL)
      endif()
      set_source_files_properties(${source} PROPERTIES
        COMPILE_OPTIONS "${PENSTOCK_KERNEL_OPTIONS}"
        COMPILE_DEFINITIONS "${lookups};HWY_COMPILE_ALL_ATTAINABLE;HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
    endif()
  endforeach()
endfunction()

# penstock_tests(<folder> a_test.cpp ... ): one executable penstock_<folder>_tests, known to ctest.
function(penstock_tests folder)
  if(NOT PENSTOCK_BUILD_TESTS)
    return()
  endif()
  find_package(GTest REQUIRED)
  add_executable(penstock_${folder}_tests ${ARGN})
  target_link_libraries(penstock_${folder}_tests PRIVATE penstock_${folder} fmt::fmt GTest::gtest GTest::gmock GTest::gtest_main Threads::Threads)
  target_compile_definitions(penstock_${folder}_tests PRIVATE
    PENSTOCK_SHARED_DIR="${PROJECT_SOURCE_DIR}/../shared" PENSTOCK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # Its own operator new is for the linker, not for the compiler's eyes.
  set_source_files_properties(../core/counting_new_for_test.cpp counting_new_for_test.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(PENSTOCK_UNITY_TESTS)
    set_target_properties(penstock_${folder}_tests PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
  target_compile_options(penstock_${folder}_tests PRIVATE ${PENSTOCK_FRINGE_OPTIONS})
  add_test(NAME ${folder} COMMAND penstock_${folder}_tests --gtest_brief=1)
  set_tests_properties(${folder} PROPERTIES LABELS unit)
endfunction()

if(PENSTOCK_BUILD_TESTS)
  enable_testing()
endif()
