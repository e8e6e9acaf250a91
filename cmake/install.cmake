# install.cmake - what `make install` puts where: the program, the library and
# its headers, the runtime's sources, ashlar.pc, and a CMake package whose
# function ashlar_add_model runs the compiler at build time.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ashlar)

# Two sets: a cross build needs the program only, and must not meet the
# library's link line.
add_executable(ashlar::program ALIAS ashlar-program)
set_target_properties(ashlar-program PROPERTIES EXPORT_NAME program)
if(BUILD_SHARED_LIBS)
  file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_FULL_BINDIR}
    ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(ashlar-program PROPERTIES
    INSTALL_RPATH "$ORIGIN/${to_lib}")
endif()
set_target_properties(ashlar PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
install(TARGETS ashlar-program EXPORT ashlar-program-targets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET ashlar-verify)
  install(TARGETS ashlar-verify RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(TARGETS ashlar EXPORT ashlar-library-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# A static build installs the shared library as well, made of the same objects:
# pkg-config and other languages want it.
if(NOT BUILD_SHARED_LIBS AND UNIX AND NOT ASHLAR_SANITIZE)
  set_target_properties(ashlar PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set(objects "")
  foreach(part ashlar ashlar_device_texts ashlar_runtime_files
          ashlar_viewer_files)
    list(APPEND objects $<TARGET_OBJECTS:${part}>)
  endforeach()
  add_library(ashlar_shared SHARED ${objects})
  target_link_libraries(ashlar_shared PRIVATE ${ASHLAR_YAML_LIBRARY} m
    ${CMAKE_DL_LIBS})
  set_target_properties(ashlar_shared PROPERTIES OUTPUT_NAME ashlar
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/shared
    LINKER_LANGUAGE C VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  install(TARGETS ashlar_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
# For tools that call minimalloc: the solver under that name, on request only,
# because the real one may be installed too.
if(ASHLAR_MINIMALLOC_NAME)
  get_target_property(rpath ashlar-program INSTALL_RPATH)
  if(rpath)
    set_target_properties(minimalloc PROPERTIES INSTALL_RPATH "${rpath}")
  endif()
  install(TARGETS minimalloc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
foreach(set program library)
  install(EXPORT ashlar-${set}-targets NAMESPACE ashlar::
    DESTINATION ${package_dir})
endforeach()

configure_package_config_file(cmake/ashlar-config.cmake.in
  ${PROJECT_BINARY_DIR}/ashlar-config.cmake INSTALL_DESTINATION ${package_dir}
  PATH_VARS CMAKE_INSTALL_DATADIR)
# The program runs on the machine that builds, whatever it builds for.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/ashlar-config-version.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/ashlar-config.cmake
  ${PROJECT_BINARY_DIR}/ashlar-config-version.cmake cmake/AshlarAddModel.cmake
  DESTINATION ${package_dir})

# Who links the static library has to name what it needs as well
# (pkg-config --static); a build with sanitizers has no other.
set(ASHLAR_PC_LIBS " -lm")
if(CMAKE_DL_LIBS)
  string(APPEND ASHLAR_PC_LIBS " -l${CMAKE_DL_LIBS}")
endif()
if(BUILD_SHARED_LIBS OR TARGET ashlar_shared)
  set(ASHLAR_PC_PRIVATE ".private")
  set(ASHLAR_PC_LIBS "\nLibs.private:${ASHLAR_PC_LIBS}")
else()
  set(ASHLAR_PC_PRIVATE "")
  if(ASHLAR_SANITIZE)
    string(APPEND ASHLAR_PC_LIBS " -fsanitize=${ASHLAR_SANITIZE}")
  endif()
endif()
file(RELATIVE_PATH ASHLAR_PC_PREFIX
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/ashlar.pc.in ${PROJECT_BINARY_DIR}/ashlar.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ashlar.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(DIRECTORY include/ashlar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(DIRECTORY runtime/
  DESTINATION ${CMAKE_INSTALL_DATADIR}/ashlar/runtime
  FILES_MATCHING PATTERN "*.[ch]")
# Completions and man pages (tools/gate/gen-share).
install(DIRECTORY share/ DESTINATION ${CMAKE_INSTALL_DATADIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
