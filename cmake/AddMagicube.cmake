# Helpers for the project's targets: the only CMake cleverness.

# Flags shared by every target. LLVM's packages have no exceptions but do have
# RTTI; assertions are off in them, so invariants must be diagnostics.
add_library(MagicubeFlags INTERFACE)
target_compile_options(MagicubeFlags INTERFACE
  -fno-exceptions -Wall -Wextra -Wno-unused-parameter -Werror=return-type)
if(MAGICUBE_ENABLE_ASAN)
  target_compile_options(MagicubeFlags INTERFACE
    -fsanitize=address,undefined -fno-sanitize=vptr -fno-omit-frame-pointer)
  target_link_options(MagicubeFlags INTERFACE -fsanitize=address,undefined)
endif()

# One precompiled header serves all MLIR code (a conversion file: 16 s -> 1 s).
add_library(MagicubePCH OBJECT "${PROJECT_SOURCE_DIR}/cmake/pch.cpp")
target_link_libraries(MagicubePCH PRIVATE MagicubeFlags)
target_include_directories(MagicubePCH SYSTEM PRIVATE
  ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_precompile_headers(MagicubePCH PRIVATE
  "${PROJECT_SOURCE_DIR}/cmake/pch.h")

# magicube_plain_library(NAME sources... [DEPENDS libs...])
# Standard C++ only: no LLVM headers, no precompiled header.
function(magicube_plain_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE MagicubeFlags)
endfunction()

# Common set-up of every target that includes MLIR or LLVM headers.
function(magicube_use_mlir name)
  target_include_directories(${name} SYSTEM PRIVATE
    ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_precompile_headers(${name} REUSE_FROM MagicubePCH)
  target_link_libraries(${name} PRIVATE MagicubeFlags)
  # All generated headers come first: they are quick, and one target keeps the
  # dependency graph readable.
  add_dependencies(${name} MagicubeTableGen)
endfunction()

# magicube_mlir_library(NAME sources... [DEPENDS libs...])
# Links the packages' shared libMLIR and libLLVM.
function(magicube_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  magicube_use_mlir(${name})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} MLIR LLVM)
endfunction()

# magicube_tool(NAME sources... [DEPENDS libs...])
function(magicube_tool name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  magicube_use_mlir(${name})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} MLIR LLVM)
endfunction()

# magicube_unit_test(NAME sources... [DEPENDS libs...] [MLIR])
# A GoogleTest executable in <build>/test/unit, registered with ctest.
function(magicube_unit_test name)
  cmake_parse_arguments(ARG "MLIR" "" "DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/test/unit")
  if(ARG_MLIR)
    magicube_use_mlir(${name})
    target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} MLIR LLVM)
  else()
    target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} MagicubeFlags)
  endif()
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  add_dependencies(magicube-unit-tests ${name})
endfunction()

# magicube_tablegen(TD_FILE, GENERATOR_ARGS... ) writes next to the build's
# mirror of the source folder; collects into MagicubeTableGen.
add_custom_target(MagicubeTableGen)
add_custom_target(magicube-unit-tests)
function(magicube_tablegen target td)
  # Arguments after td come in pairs: OUTPUT GENERATOR;GENERATOR...
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(args ${ARGN})
  while(args)
    list(POP_FRONT args output generator)
    string(REPLACE "," ";" generator "${generator}")
    mlir_tablegen(${output} ${generator} -I${MLIR_INCLUDE_DIRS}
      -I${PROJECT_SOURCE_DIR})
  endwhile()
  add_public_tablegen_target(${target})
  add_dependencies(MagicubeTableGen ${target})
endfunction()
