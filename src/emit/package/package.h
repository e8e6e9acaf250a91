/* package.h - what a kind of module adds to the plain files, and where it wants
 * them: one file a kind. */
#ifndef ASH_EMIT_PACKAGE_H
#define ASH_EMIT_PACKAGE_H

#include "emit/module/module.h"

/* Moves sources, private headers and files of constants into `source_folder`,
 * the public header into `header_folder`; NULL leaves them where they are. */
ash_status ash_package_move(ash_module *m, const char *source_folder,
                            const char *header_folder);
/* ASH_MISUSE unless version and page are what manifests take. */
ash_status ash_package_check(ash_ctx *ctx, const ash_emit_options *options);
/* Adds a file made from a template. */
ash_status ash_package_add(ash_module *m, const char *name,
                           const char *const *lines);

/* The same from several templates; the list ends with NULL. */
ash_status ash_package_add_parts(ash_module *m, const char *name,
                                 const char *const *const *parts);
/* LICENSE, and a program that runs the model once: `entry` calls run_model(),
 * which gives 0 when all went well. */
ash_status ash_package_add_licence(ash_module *m);
ash_status ash_package_add_program(ash_module *m, const char *name,
                                   const char *const *entry);
/* Adds an archive of all files that there are. */
ash_status ash_package_zip(ash_module *m, const char *name);

ash_status ash_package_single_file(ash_module *m);
ash_status ash_package_cmake(ash_module *m);
ash_status ash_package_zephyr(ash_module *m);
ash_status ash_package_cmsis_pack(ash_module *m);
ash_status ash_package_esp_idf(ash_module *m);
ash_status ash_package_arduino(ash_module *m);
ash_status ash_package_platformio(ash_module *m);

#endif
