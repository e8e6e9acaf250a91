fn main() {
    let model = "../../examples/digits/digits.tflite";
    if let Err(why) = ashlar_build::Model::new(model).build() {
        eprintln!("{why}");
        std::process::exit(1);
    }
}
