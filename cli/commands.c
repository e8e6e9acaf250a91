/* commands.c - the table of commands. */
#include "commands.h"

#include "args.h"

#include <string.h>

const command commands[] = {
    {"compile", cmd_compile, "turn a model into C",
     "MODEL [--target NAME] [-o FOLDER]",
     "  ashlar compile digits.tflite --target apollo510 -o out\n"
     "  ashlar compile digits.tflite --prefix net -o out --json out/plan.json\n"
     "  ashlar compile digits.tflite --dump-after pass --stop-after pass\n"
     "  ashlar compile a.tflite b.tflite --share-scratch -o out\n",
     1},
    {"plan", cmd_plan, "say where the memory of a model goes",
     "MODEL [--target NAME] [--json FILE|-]",
     "  ashlar plan digits.tflite --target apollo510\n"
     "  ashlar plan digits.tflite --target apollo510 --report plan.html\n"
     "  ashlar plan digits.tflite --target apollo510 --json - > plan.json\n"
     "  ashlar plan digits.tflite --target stm32f446re --set SRAM=16K\n"
     "  ashlar plan digits.tflite --planner greedy\n",
     1},
    {"test", cmd_test, "build the generated C and compare it with a record",
     "MODEL --inputs IN.npz --expect OUT.npz",
     "  ashlar test digits.tflite --inputs digits_test.npz "
     "--expect digits_expect.npz\n"
     "  ashlar test digits.tflite --inputs in.npz --expect out.npz "
     "--engine reference\n"
     "  ashlar test digits.tflite --inputs in.npz --save out.npz\n",
     1},
    {"inspect", cmd_inspect, "show what a model is made of",
     "MODEL [--text | --json | --dot]",
     "  ashlar inspect digits.tflite\n"
     "  ashlar inspect digits.tflite --text > digits.ir\n"
     "  ashlar inspect digits.tflite --dot | dot -Tsvg > digits.svg\n",
     1},
    {"check", cmd_check, "check a plan without trusting who made it",
     "PLAN.json [--model MODEL] [--elf FIRMWARE.elf] | --csv SOLUTION.csv",
     "  ashlar plan digits.tflite --json plan.json && ashlar check plan.json\n"
     "  ashlar check plan.json --model digits.tflite\n"
     "  ashlar check --elf firmware.elf plan.json --prefix digits\n"
     "  ashlar check --csv solution.csv --capacity 1048576\n",
     1},
    {"solve", cmd_solve, "place buffers with lifetimes, proved optimal",
     "--input A.csv [--capacity N] [--output B.csv]",
     "  ashlar solve --capacity=1048576 --input=a.csv --output=b.csv\n", 0},
    {"view", cmd_view, "turn a plan into a web page",
     "PLAN.json [-o FILE.html]",
     "  ashlar plan digits.tflite --json plan.json && ashlar view plan.json\n"
     "  ashlar view plan.json -o report.html\n",
     1},
    {"annotate", cmd_annotate, "put a plan for TFLite Micro into a model",
     "MODEL.tflite -o OUT.tflite | MODEL.tflite --check",
     "  ashlar annotate person.tflite -o person_planned.tflite\n"
     "  ashlar annotate person_planned.tflite --check\n",
     1},
    {"diff", cmd_diff, "say what changed between two plans or models",
     "A B [--report FILE.html]",
     "  ashlar diff before.json after.json\n"
     "  ashlar diff v1.tflite v2.tflite --target apollo510\n"
     "  ashlar diff before.json after.json --report diff.html\n"
     "  ashlar diff before.json after.json --exit-code -q\n",
     2},
    {"sweep", cmd_sweep, "plan a model for many sizes of a memory",
     "MODEL --target NAME --set MEM=FROM..TO",
     "  ashlar sweep digits.tflite --target apollo510 --set DTCM=2K..64K\n", 1},
    {"fit", cmd_fit, "say which devices a model fits", "MODEL [--target NAME]",
     "  ashlar fit digits.tflite\n"
     "  ashlar fit digits.tflite --order rows\n"
     "  ashlar fit digits.tflite --json > fit.json\n",
     1},
    {"targets", cmd_targets, "list devices, or print one as YAML", "[NAME]",
     "  ashlar targets\n"
     "  ashlar targets apollo510 > mine.yaml\n",
     0},
    {"ops", cmd_ops, "list the operators and types that have kernels",
     "[OPERATOR...]",
     "  ashlar ops\n"
     "  ashlar ops conv_2d lstm\n"
     "  ashlar ops --json\n",
     0},
    {"explain", cmd_explain,
     "explain a diagnostic, or why a model needs its memory",
     "ASH1234 | MODEL [--target NAME]",
     "  ashlar explain ASH5200\n"
     "  ashlar explain --all\n"
     "  ashlar explain digits.tflite --target apollo510\n",
     1},
    {0}};

const char *nearest_command(const char *name) {
  const char *known[sizeof commands / sizeof *commands];
  size_t count = 0;
  for (const command *c = commands; c->name; c++)
    known[count++] = c->name;
  return ash_nearest_of(name, known, count);
}

const command *find_command(const char *name) {
  for (const command *c = commands; c->name; c++)
    if (strcmp(c->name, name) == 0)
      return c;
  return NULL;
}
