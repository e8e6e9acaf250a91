//! Models as parts of a Rust program: a build script compiles a `.tflite` or
//! `.onnx` file to C with the program `ashlar`, builds that C for the target,
//! and writes a safe wrapper.
//!
//! ```no_run
//! // build.rs
//! ashlar_build::Model::new("digits.tflite").device("nrf52840").build().unwrap();
//! ```
//!
//! ```ignore
//! // main.rs
//! mod digits { include!(concat!(env!("OUT_DIR"), "/digits.rs")); }
//! let mut model = digits::Model::take().unwrap()?;
//! model.input::<i8>(0)?.fill(0);
//! model.run()?;
//! let scores: &[i8] = model.output(0)?;
//! ```
//!
//! Programs: `ashlar` (or `$ASHLAR`), a C compiler (`$CC_<target>`, `$CC`, the
//! usual cross compilers, `cc`) and `ar` (`$AR`). Nothing else is needed: this
//! crate has no dependencies, and the wrapper needs neither `std` nor `alloc`.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

mod wrapper;

/// What went wrong, in words; a build script prints it and stops.
#[derive(Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

fn fail<T>(text: impl Into<String>) -> Result<T, Error> {
    Err(Error(text.into()))
}

/// A model to be compiled.
pub struct Model {
    path: PathBuf,
    device: String,
    prefix: Option<String>,
    options: Vec<OsString>,
    flags: Vec<OsString>,
    placed: bool,
}

impl Model {
    /// The model in this file, relative to the package.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Model {
            path: path.as_ref().to_path_buf(),
            device: "host".into(),
            prefix: None,
            options: Vec::new(),
            flags: Vec::new(),
            placed: false,
        }
    }

    /// The device: a name that `ashlar targets` lists, or a YAML file.
    pub fn device(mut self, device: impl Into<String>) -> Self {
        self.device = device.into();
        self
    }

    /// The start of every C name, and the name of the wrapper's file.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// One more option of `ashlar compile`.
    pub fn option(mut self, option: impl Into<OsString>) -> Self {
        self.options.push(option.into());
        self
    }

    /// One more flag of the C compiler.
    pub fn flag(mut self, flag: impl Into<OsString>) -> Self {
        self.flags.push(flag.into());
        self
    }

    /// Arenas go into the sections of the plan; the linker script must have
    /// them (`<prefix>.ld`). Otherwise they are ordinary zeroed data.
    pub fn placed(mut self) -> Self {
        self.placed = true;
        self
    }

    /// Compiles the model, links it to the crate, writes `<prefix>.rs`.
    pub fn build(self) -> Result<(), Error> {
        let out = PathBuf::from(variable("OUT_DIR")?);
        let prefix = match &self.prefix {
            Some(prefix) => prefix.clone(),
            None => identifier(&self.path)?,
        };
        println!("cargo:rerun-if-changed={}", self.path.display());
        for name in ["ASHLAR", "CC", "AR"] {
            println!("cargo:rerun-if-env-changed={name}");
        }
        let folder = out.join(format!("ashlar_{prefix}"));
        self.generate(&prefix, &folder)?;
        self.compile(&prefix, &folder)?;
        println!("cargo:rustc-link-search=native={}", folder.display());
        println!("cargo:rustc-link-lib=static={prefix}");
        if variable("CARGO_CFG_TARGET_OS")? == "linux" {
            println!("cargo:rustc-link-lib=m");
        }
        write(&out.join(format!("{prefix}.rs")), &wrapper::rust(&prefix))
    }

    fn generate(&self, prefix: &str, folder: &Path) -> Result<(), Error> {
        let program = env::var_os("ASHLAR").unwrap_or_else(|| "ashlar".into());
        let mut command = Command::new(&program);
        command
            .arg("compile")
            .arg(&self.path)
            .args(["--quiet", "--target", &self.device, "--prefix", prefix])
            .arg("--output")
            .arg(folder)
            .args(&self.options);
        run(&mut command, "set ASHLAR to the path of the program")?;
        write(&folder.join(format!("{prefix}_rust.c")), &wrapper::shim(prefix))
    }

    fn compile(&self, prefix: &str, folder: &Path) -> Result<(), Error> {
        let mut objects = Vec::new();
        for part in ["", "_constants", "_kernels", "_rust"] {
            let source = folder.join(format!("{prefix}{part}.c"));
            let object = source.with_extension("o");
            let mut command = Command::new(compiler()?);
            command.args(["-std=c99", "-O2", "-ffp-contract=off", "-ffunction-sections",
                          "-fdata-sections", "-c", "-o"]);
            command.arg(&object).arg(&source).arg("-I").arg(folder).args(&self.flags);
            if !self.placed {
                command.arg(format!("-D{}_NO_PLACEMENT", prefix.to_uppercase()));
            }
            if variable("CARGO_CFG_TARGET_OS")? != "none" {
                command.arg("-fPIC");
            }
            run(&mut command, "set CC to a C compiler for the target")?;
            objects.push(object);
        }
        let archive = folder.join(format!("lib{prefix}.a"));
        let _ = fs::remove_file(&archive);
        let ar = env::var_os("AR").unwrap_or_else(|| "ar".into());
        run(Command::new(ar).arg("crs").arg(archive).args(objects), "set AR")
    }
}

/// The C compiler for cargo's target, as the crate `cc` would choose it.
fn compiler() -> Result<OsString, Error> {
    let target = variable("TARGET")?;
    let names = [format!("CC_{target}"), format!("CC_{}", target.replace('-', "_")), "CC".into()];
    if let Some(found) = names.iter().find_map(env::var_os) {
        return Ok(found);
    }
    let usual = if target == variable("HOST")? {
        "cc"
    } else if target.starts_with("thumb") {
        "arm-none-eabi-gcc"
    } else if target.starts_with("aarch64-unknown-linux") {
        "aarch64-linux-gnu-gcc"
    } else if target.starts_with("riscv") && target.contains("none") {
        "riscv64-unknown-elf-gcc"
    } else {
        return fail(format!("no C compiler is known for {target}: set CC_{target}"));
    };
    Ok(usual.into())
}

fn variable(name: &str) -> Result<String, Error> {
    env::var(name).map_err(|_| Error(format!("{name} is not set: call this from a build script")))
}

/// "my-model.v2.tflite" is "my_model_v2", as `ashlar compile` makes it.
fn identifier(path: &Path) -> Result<String, Error> {
    let stem = match path.file_stem().and_then(|s| s.to_str()) {
        Some(stem) if !stem.is_empty() => stem,
        _ => return fail(format!("{}: no file name", path.display())),
    };
    let name: String =
        stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    match name.chars().next() {
        Some(c) if c.is_ascii_digit() => Ok(format!("m{name}")),
        _ => Ok(name.to_lowercase()),
    }
}

fn run(command: &mut Command, hint: &str) -> Result<(), Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Err(why) => fail(format!("{program} cannot be started ({why}): {hint}")),
        Ok(done) if done.status.success() => Ok(()),
        Ok(done) => fail(format!("{program}: {}", String::from_utf8_lossy(&done.stderr))),
    }
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|why| Error(format!("{}: {why}", path.display())))
}
