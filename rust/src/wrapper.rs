//! The texts that go around a generated module: C functions over one static
//! context, and a Rust type that owns it.

/// `prefix` stands for the prefix, `PREFIX` for it in capitals.
fn fill(template: &str, prefix: &str) -> String {
    template.replace("prefix", prefix).replace("PREFIX", &prefix.to_uppercase())
}

pub fn shim(prefix: &str) -> String {
    fill(
        r#"/* One instance of the model prefix, for Rust. */
#include "prefix.h"

static prefix_context model;

int prefix_rust_init(void) { return prefix_init(&model) == PREFIX_OK ? 0 : 1; }

int prefix_rust_run(void) { return prefix_run(&model) == PREFIX_OK ? 0 : 1; }

void *prefix_rust_input(uint32_t index, uint32_t *bytes) {
  const prefix_tensor t = prefix_input(&model, index);
  *bytes = t.data ? t.bytes : 0;
  return (void *)t.data;
}

const void *prefix_rust_output(uint32_t index, uint32_t *bytes) {
  const prefix_tensor t = prefix_output(&model, index);
  *bytes = t.data ? t.bytes : 0;
  return t.data;
}
"#,
        prefix,
    )
}

pub fn rust(prefix: &str) -> String {
    fill(
        r#"// The model prefix, written by ashlar_build.
extern "C" {
    fn prefix_rust_init() -> i32;
    fn prefix_rust_run() -> i32;
    fn prefix_rust_input(index: u32, bytes: *mut u32) -> *mut u8;
    fn prefix_rust_output(index: u32, bytes: *mut u32) -> *const u8;
}

static TAKEN: core::sync::atomic::AtomicBool = core::sync::atomic::AtomicBool::new(false);

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// The model's arenas could not be set up.
    Init,
    /// A run failed.
    Run,
    /// There is no input or output of that number.
    NoTensor,
    /// The tensor's bytes are not a whole number of aligned elements.
    Element,
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Error::Init => "the model's arenas could not be set up",
            Error::Run => "a run failed",
            Error::NoTensor => "there is no input or output of that number",
            Error::Element => "the tensor does not consist of such elements",
        })
    }
}

mod sealed {
    pub trait Sealed {}
}

/// Types that tensors have. Every pattern of bits is a value of each.
pub trait Element: sealed::Sealed + Copy {}

macro_rules! elements {
    ($($t:ty),*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {}
    )*};
}
elements!(i8, u8, i16, i32, i64, f32);

/// The one instance of the model: its memory is static.
#[derive(Debug)]
pub struct Model(());

impl Model {
    /// The model, the first time; None while somebody has it.
    pub fn take() -> Option<Result<Self, Error>> {
        use core::sync::atomic::Ordering;
        if TAKEN.swap(true, Ordering::Acquire) {
            return None;
        }
        // SAFETY: TAKEN says that nobody else uses the context.
        if unsafe { prefix_rust_init() } != 0 {
            TAKEN.store(false, Ordering::Release);
            return Some(Err(Error::Init));
        }
        Some(Ok(Model(())))
    }

    /// Runs the model on what its inputs hold.
    pub fn run(&mut self) -> Result<(), Error> {
        // SAFETY: `self` is the one owner of the context.
        match unsafe { prefix_rust_run() } {
            0 => Ok(()),
            _ => Err(Error::Run),
        }
    }

    /// An input's elements, to be filled before every run.
    pub fn input<T: Element>(&mut self, index: u32) -> Result<&mut [T], Error> {
        let mut bytes = 0;
        // SAFETY: `bytes` is a valid place; any index is answered.
        let data = unsafe { prefix_rust_input(index, &mut bytes) };
        let count = elements_of::<T>(data, bytes)?;
        // SAFETY: the tensor has `bytes` bytes, which live as long as the
        // context and are lent by `self` alone; alignment was checked.
        Ok(unsafe { core::slice::from_raw_parts_mut(data.cast::<T>(), count) })
    }

    /// An output's elements, after a run.
    pub fn output<T: Element>(&self, index: u32) -> Result<&[T], Error> {
        let mut bytes = 0;
        // SAFETY: as above.
        let data = unsafe { prefix_rust_output(index, &mut bytes) };
        let count = elements_of::<T>(data, bytes)?;
        // SAFETY: as above, shared.
        Ok(unsafe { core::slice::from_raw_parts(data.cast::<T>(), count) })
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        TAKEN.store(false, core::sync::atomic::Ordering::Release);
    }
}

fn elements_of<T>(data: *const u8, bytes: u32) -> Result<usize, Error> {
    let (size, alignment) = (core::mem::size_of::<T>(), core::mem::align_of::<T>());
    if data.is_null() {
        return Err(Error::NoTensor);
    }
    if bytes as usize % size != 0 || data as usize % alignment != 0 {
        return Err(Error::Element);
    }
    Ok(bytes as usize / size)
}
"#,
        prefix,
    )
}
