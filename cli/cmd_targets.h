/* cmd_targets.h - `ashlar targets`: what Ashlar can compile for. */
#ifndef ASH_CLI_CMD_TARGETS_H
#define ASH_CLI_CMD_TARGETS_H

/* argv[0] is "targets". Returns the exit code. */
int cmd_targets(int argc, char **argv);

#endif
