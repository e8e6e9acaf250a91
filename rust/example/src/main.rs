//! Classifies an image of 8 x 8 pixels: 64 bytes, as hexadecimal digits on the
//! command line (default: all zeros); prints the ten scores.

#[allow(dead_code)]
mod digits {
    include!(concat!(env!("OUT_DIR"), "/digits.rs"));
}

fn pixels(text: &str) -> Option<Vec<i8>> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok().map(|byte| byte as i8))
        .collect()
}

fn classify(image: &[i8]) -> Result<Vec<i8>, digits::Error> {
    let mut model = digits::Model::take().expect("nobody else has the model")?;
    assert!(digits::Model::take().is_none());
    model.input::<i8>(0)?.copy_from_slice(image);
    model.run()?;
    Ok(model.output::<i8>(0)?.to_vec())
}

fn main() {
    let text = std::env::args().nth(1).unwrap_or_else(|| "00".repeat(64));
    match pixels(&text) {
        Some(image) if image.len() == 64 => match classify(&image) {
            Ok(scores) => println!("{scores:?}"),
            Err(why) => eprintln!("digits: {why}"),
        },
        _ => eprintln!("usage: ashlar-example HEX, 64 bytes as 128 digits"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_are_what_the_model_has() {
        let mut model = digits::Model::take().unwrap().unwrap();
        assert_eq!(model.input::<i8>(0).unwrap().len(), 64);
        assert_eq!(model.output::<i8>(0).unwrap().len(), 10);
        assert_eq!(model.input::<i8>(1).unwrap_err(), digits::Error::NoTensor);
        assert_eq!(model.output::<i32>(0).unwrap_err(), digits::Error::Element);
        drop(model);
        assert!(digits::Model::take().is_some());
    }
}
