#!/bin/sh
# demo.sh ASHLAR - compiles the digits classifier for a Cortex-M55 device,
# builds the C for this machine, classifies the test images, shows the plan.
set -eu
ashlar=$1
here=$(dirname "$0")
out=out/digits
target=apollo510

echo "== ashlar compile digits.tflite --target $target"
"$ashlar" compile "$here/digits.tflite" --target $target --prefix digits \
  -o $out --json $out/plan.json --report $out/report.html

echo
echo "== the generated C, built for this machine"
${CC:-cc} -std=c99 -O2 -Wall -Wextra -Wpedantic -I$out -o $out/classify \
  "$here/classify.c" $out/digits.c $out/digits_constants.c \
  $out/digits_kernels.c -lm
$out/classify "$here/digits_test.bin" "$here/digits_labels.bin"
"$ashlar" test "$here/digits.tflite" --target $target \
  --inputs "$here/digits_test.npz" --expect "$here/digits_expect.npz"

echo
echo "== the memory plan"
"$ashlar" plan "$here/digits.tflite" --target $target | tee $out/report.txt
"$ashlar" check $out/plan.json
echo
echo "the module is in $out, the plan in $out/plan.json and $out/report.txt;"
echo "open $out/report.html in a browser to see it"
