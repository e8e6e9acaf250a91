"""row_tables.py - the tables of docs/ordering.md, from what bench/rows wrote
into bench/rows.csv and bench/devices --rows into bench/row_devices.csv."""
import csv

from pages import ROOT, fill, table

MODELS = [  # name, model
    ("MLPerf Tiny image classification (ResNet-8)",
     "models/tiny/ic_resnet8_int8.tflite"),
    ("MLPerf Tiny visual wake words", "models/tiny/vww_96_int8.tflite"),
    ("MLPerf Tiny keyword spotting", "models/tiny/kws_ref_model_int8.tflite"),
    ("person_detect of TFLite Micro",
     "models/tflite-micro/person_detect.tflite"),
    ("MobileNetV1 0.25, 224 × 224",
     "models/tflite-support/mobilenet_v1_0.25_224_quant.tflite"),
    ("MCUNet vww1", "models/tinyengine/mcunet_vww1_int8.tflite"),
    ("MobileNetV2 1.0, 224 × 224",
     "models/test_data/mobilenet_v2_1.0_224_quant.tflite"),
    ("cifar10 of TinyMaix", "models/TinyMaix/cifar10_q.tflite"),
    ("fingerprint_signature_generator",
     "models/mltk/fingerprint_signature_generator.tflite"),
    ("ResNet-50, float32", "models/onnx/light_resnet50.onnx"),
    ("DenseNet-121, float32", "models/onnx/light_densenet121.onnx"),
]
# msf-CNN's published plans: bytes layer by layer, then with at most 1.1, 1.2, 1.3
# and 1.4 times the work of the network, and with any.
MSF_CNN = [
    ("MobileNetV2 0.35, 144 × 144", "mobilenet_v2_w0.35_144",
     (181440, 67905, 67905, 21288, 15340, 7887)),
    ("MCUNetV2 vww 5 fps, 80 × 80", "mcunet_vww_5fps_80",
     (89600, 32792, 26128, 17760, 13376, 12000)),
    ("MCUNet 320 KB, 176 × 176", "mcunet_320kb_176",
     (309760, 190096, 186736, 186032, 156672, 42643)),
]


def lines():
    with open(ROOT / "bench" / "rows.csv", encoding="utf-8") as f:
        return {l["model"]: l for l in csv.DictReader(f)}


def number(cell):
    return f"{int(cell):,}" if cell else "–"


def with_bound(line, column):
    """The arena; proved, or the bound that no order of rows can beat."""
    if line[f"{column}_verdict"] == "optimal":
        return f"**{number(line[column])}**"
    return f"{number(line[column])} (≥ {number(line[column + '_bound'])})"


def models(found):
    head = ["model", "given", "overlap", "operators", "rows", "rows, input fed"]
    return table(head, [
        [name, *(number(found[m][c]) for c in ("given", "overlap",
                                               "operators")),
         with_bound(found[m], "rows"), with_bound(found[m], "fed")]
        for name, m in MODELS if m in found])


def summary(found):
    ours = [l for l in found.values() if not l["model"].startswith("msf-CNN")
            and l["rows"]]
    less = [l for l in ours if int(l["rows"]) < int(l["given"])]
    more = [l for l in ours if int(l["rows"]) > int(l["given"])]
    proved = [l for l in ours if l["rows_verdict"] == "optimal"]
    return (f"Of {len(ours)} models, {len(less)} need less row by row than layer "
            f"by layer, {len(more)} need more; for {len(proved)} it is proved that no "
            "order of\nrows needs less.\n")


def msf_cnn(found):
    head = ["network, input fed", "ours, 1.0 × the work", "with residuals",
            "msf-CNN, layer by layer", "≤ 1.1 ×", "≤ 1.2 ×", "≤ 1.3 ×",
            "≤ 1.4 ×", "any"]
    return table(head, [
        [name, with_bound(found[f"msf-CNN/{file}-chain"], "fed"),
         with_bound(found[f"msf-CNN/{file}"], "fed"), *map(number, published)]
        for name, file, published in MSF_CNN if f"msf-CNN/{file}" in found])


def costs(_):
    """Row by row and fed against layer by layer on boards."""
    with open(ROOT / "bench" / "row_devices.csv", encoding="utf-8") as f:
        found = {(l["board"], l["model"], l["order"]): l
                 for l in csv.DictReader(f)}
    rows = []
    for board, model in dict.fromkeys(key[:2] for key in found):
        given, *others = (found[board, model, way]
                          for way in ("given", "rows", "fed"))
        cells = [number(given["instructions"]), number(given["ram"])]
        for l in others:
            cells += [f"{100 * float(l['ratio']) - 100:+.1f} %", l["tables"],
                      number(l["ram"])]
        rows.append([board, model, *cells])
    return table(["board", "model", "instructions, given", "RAM", "rows",
                  "tables", "RAM", "fed", "tables", "RAM"], rows)


def ordering():
    """docs/ordering.md as it should be."""
    found = lines()
    parts = {"rows": models, "rows of all models": summary,
             "msf-CNN": msf_cnn, "rows on boards": costs}
    return fill((ROOT / "docs/ordering.md").read_text(),
                lambda name, old: parts[name](found))
