//! cpb-play TAPE MODULE.wasm: plays a tape in wasmi. What a tape is: README.md one folder up.

use std::error::Error;

use wasmi::{Engine, Func, Instance, Linker, Memory, Module, Store, Val};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

struct Function {
    name: String,
    result: u8, // v, i, I, as the parameters
    parameters: Vec<u8>,
    code: Option<Func>,
}

struct Tape {
    bytes: Vec<u8>,
    at: usize,
}

impl Tape {
    fn take(&mut self, size: usize) -> Result<&[u8]> {
        let taken = self.bytes.get(self.at..self.at + size).ok_or("the tape ends too early")?;
        self.at += size;
        Ok(taken)
    }

    fn take8(&mut self) -> Result<usize> {
        Ok(self.take(1)?[0] as usize)
    }

    fn take32(&mut self) -> Result<usize> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into()?) as usize)
    }

    fn take64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into()?))
    }

    fn take_text(&mut self) -> Result<Vec<u8>> {
        let size = self.take8()?;
        Ok(self.take(size)?.to_vec())
    }
}

/// An instance of the module.
struct Running {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
}

impl Running {
    fn new(engine: &Engine, module: &Module) -> Result<Running> {
        let mut store = Store::new(engine, ());
        let instance = Linker::new(engine).instantiate_and_start(&mut store, module)?;
        let memory = instance.get_memory(&store, "memory").ok_or("no memory")?;
        Ok(Running { store, instance, memory })
    }

    fn call(&mut self, function: &mut Function, tape: &mut Tape) -> Result<()> {
        let code = match function.code {
            Some(code) => code,
            None => *function.code.insert(
                self.instance.get_func(&self.store, &function.name).ok_or("no such function")?,
            ),
        };
        let mut arguments = Vec::with_capacity(function.parameters.len());
        for kind in &function.parameters {
            let value = tape.take64()?;
            arguments.push(if *kind == b'i' { Val::I32(value as i32) } else { Val::I64(value as i64) });
        }
        let mut results = [Val::I32(0)];
        let results = if function.result == b'v' { &mut results[..0] } else { &mut results[..] };
        code.call(&mut self.store, &arguments, results)?;
        let got = match results {
            [Val::I32(value)] => *value as u32 as u64,
            [Val::I64(value)] => *value as u64,
            _ => return Ok(()),
        };
        match tape.take64()? {
            wanted if wanted == got => Ok(()),
            wanted => Err(format!("gave {got}, not {wanted}").into()),
        }
    }

    fn bytes(&mut self, at: usize, size: usize) -> Result<&mut [u8]> {
        self.memory.data_mut(&mut self.store).get_mut(at..at + size).ok_or("memory is too small".into())
    }
}

fn functions(tape: &mut Tape) -> Result<Vec<Function>> {
    let mut list = Vec::new();
    for _ in 0..tape.take8()? {
        let name = String::from_utf8(tape.take_text()?)?;
        let signature = tape.take_text()?;
        let (result, parameters) = (signature[0], signature[1..].to_vec());
        list.push(Function { name, result, parameters, code: None });
    }
    Ok(list)
}

fn play(tape: &mut Tape, wasm: &[u8]) -> Result<(u64, usize)> {
    let engine = Engine::default();
    let module = Module::new(&engine, wasm)?;
    let mut running = Running::new(&engine, &module)?;
    let (mut calls, mut compared) = (0, 0);
    if tape.take(8)? != b"cpbtape1" {
        return Err("no tape".into());
    }
    let mut functions = functions(tape)?;
    while tape.at < tape.bytes.len() {
        match tape.take8()? as u8 {
            b'N' => {
                running = Running::new(&engine, &module)?;
                functions.iter_mut().for_each(|function| function.code = None);
            }
            b'C' => {
                let function = &mut functions[tape.take8()?];
                running.call(function, tape).map_err(|error| format!("{}: {error}", function.name))?;
                calls += 1;
            }
            b'W' => {
                let (at, size) = (tape.take32()?, tape.take32()?);
                running.bytes(at, size)?.copy_from_slice(tape.take(size)?);
            }
            b'R' => {
                let (at, size) = (tape.take32()?, tape.take32()?);
                if running.bytes(at, size)? != tape.take(size)? {
                    return Err("memory holds something else".into());
                }
                compared += size;
            }
            b'P' => {
                if running.memory.size(&running.store) != tape.take32()? as u64 {
                    return Err("memory is of another size".into());
                }
            }
            _ => return Err("unknown step".into()),
        }
    }
    Ok((calls, compared))
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let mut tape = Tape { bytes: std::fs::read(&words[1])?, at: 0 };
    match play(&mut tape, &std::fs::read(&words[2])?) {
        Ok((calls, compared)) => println!("{calls} calls, {compared} bytes compared"),
        Err(error) => {
            eprintln!("before byte {} of the tape: {error}", tape.at);
            std::process::exit(1);
        }
    }
    Ok(())
}
