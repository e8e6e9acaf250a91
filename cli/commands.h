/* commands.h - the commands, one a file. argv[0] is the command's name. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

int cmd_annotate(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_check_csv(int argc, char **argv);
int cmd_compile(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_fit(int argc, char **argv);
int cmd_inspect(int argc, char **argv);
int cmd_model(int argc, char **argv);
int cmd_ops(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_solve(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_targets(int argc, char **argv);
int cmd_test(int argc, char **argv);
int cmd_view(int argc, char **argv);

#endif
