# `cmake --install` puts the library where find_package(penstock) finds it: penstock::penstock.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
get_property(penstock_libraries GLOBAL PROPERTY PENSTOCK_LIBRARIES)
add_library(penstock_penstock INTERFACE)
add_library(penstock::penstock ALIAS penstock_penstock)
set_target_properties(penstock_penstock PROPERTIES EXPORT_NAME penstock)
target_link_libraries(penstock_penstock INTERFACE ${penstock_libraries})
install(TARGETS penstock_settings penstock_penstock ${penstock_libraries} EXPORT penstock_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/penstock DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(penstock_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/penstock)
install(EXPORT penstock_targets NAMESPACE penstock:: FILE penstock-targets.cmake DESTINATION ${penstock_config_dir})
configure_package_config_file(cmake/penstock-config.cmake.in penstock-config.cmake INSTALL_DESTINATION ${penstock_config_dir})
write_basic_package_version_file(penstock-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/penstock-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/penstock-config-version.cmake
  cmake/penstock_third_party.cmake DESTINATION ${penstock_config_dir})
