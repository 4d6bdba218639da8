# What other programs use: the tools, the runtime, and the packer with its
# headers, as targets Magicube::<name> of find_package(Magicube), from the build
# folder or from where it was installed. examples/aot is such a program.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(exported MagicubeFlags MagicubeFormat MagicubeSupport magicube_runtime
    magicube_simulator magicube-compile)
foreach(library MagicubeFormat MagicubeSupport magicube_runtime)
  target_include_directories(${library} INTERFACE
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
endforeach()
# Programs that do not come with their own search path for libraries.
set_target_properties(magicube-compile magicube-opt magicube-run PROPERTIES
  INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${LLVM_LIBRARY_DIR}")
set_target_properties(magicube-lsp-server PROPERTIES
  INSTALL_RPATH "${LLVM_LIBRARY_DIR}")
set_property(TARGET magicube_simulator APPEND PROPERTY
  INSTALL_RPATH "${LLVM_LIBRARY_DIR}")

install(TARGETS ${exported} EXPORT MagicubeTargets)
install(TARGETS magicube-launch magicube-layout magicube-lsp-server magicube-opt
  magicube-pattern magicube-run)
install(TARGETS MagicubePlugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/magicube-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/magicube/Format include/magicube/Runtime
  include/magicube/Support
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/magicube FILES_MATCHING PATTERN "*.h"
  PATTERN Json.h EXCLUDE PATTERN PlanJson.h EXCLUDE)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Magicube)
configure_file(cmake/MagicubeConfig.cmake.in cmake/MagicubeConfig.cmake @ONLY)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cmake/MagicubeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
export(EXPORT MagicubeTargets NAMESPACE Magicube::
  FILE ${PROJECT_BINARY_DIR}/cmake/MagicubeTargets.cmake)
install(EXPORT MagicubeTargets NAMESPACE Magicube:: DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/cmake/MagicubeConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/MagicubeConfigVersion.cmake
  DESTINATION ${package_dir})
