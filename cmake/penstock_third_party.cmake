# Packages found the same way when penstock is built and when a program uses the installed library.
find_package(PkgConfig REQUIRED)
find_package(JPEG REQUIRED)
pkg_check_modules(PENSTOCK_SPNG REQUIRED IMPORTED_TARGET GLOBAL spng)
pkg_check_modules(PENSTOCK_WEBP REQUIRED IMPORTED_TARGET GLOBAL libwebp libwebpdemux)
pkg_check_modules(PENSTOCK_HWY REQUIRED IMPORTED_TARGET GLOBAL libhwy)
pkg_check_modules(PENSTOCK_ZSTD REQUIRED IMPORTED_TARGET GLOBAL libzstd)
