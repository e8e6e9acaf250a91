/* package.h - what a kind of module adds to the plain files, and where it wants
 * them: one file a kind. */
#ifndef ASH_EMIT_PACKAGE_H
#define ASH_EMIT_PACKAGE_H

#include "emit/module/module.h"

/* Moves sources, private headers and files of constants into `source_folder`,
 * the public header into `header_folder`; NULL leaves them where they are. */
ash_status ash_package_move(ash_module *m, const char *source_folder,
                            const char *header_folder);
/* Adds a file made from a template. */
ash_status ash_package_add(ash_module *m, const char *name,
                           const char *const *lines);

ash_status ash_package_single_file(ash_module *m);
ash_status ash_package_cmake(ash_module *m);
ash_status ash_package_zephyr(ash_module *m);
ash_status ash_package_cmsis_pack(ash_module *m);
ash_status ash_package_esp_idf(ash_module *m);
ash_status ash_package_arduino(ash_module *m);

#endif
