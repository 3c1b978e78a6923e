//! Reads a chunk of a .cpb file with cpb-core.wasm in wasmi, in a fixed memory.
//!
//!     cpb-pager cpb-core.wasm MODEL.cpb CHUNK [PAGES] > chunk
//!
//! PAGES is how many pages of 64 KiB the module's whole memory may have; 4 by default.

use std::error::Error;
use std::fs::File;
use std::io::{stdout, Read, Seek, SeekFrom, Write};

use wasmi::{Engine, Instance, Linker, Memory, Module, Store, StoreLimits, StoreLimitsBuilder};
use wasmi::{WasmParams, WasmResults};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const PAGE: usize = 65536;
const DONE: i32 = 0;
const NEED: i32 = 1;
const DATA: i32 = 3;
const NEED_SIZE: u32 = 2;

/// The chunks of an open file.
struct Pager {
    store: Store<StoreLimits>,
    instance: Instance,
    memory: Memory,
    file: File,
    size: u64,
    pager: i32,
    need: i32,
    window: i32,
    read_size: usize,
}

impl Pager {
    fn open(wasm: &[u8], mut file: File, pages: usize) -> Result<Pager> {
        let engine = Engine::default();
        let limits = StoreLimitsBuilder::new().memory_size(pages * PAGE).build();
        let mut store = Store::new(&engine, limits);
        store.limiter(|limits| limits);
        let module = Module::new(&engine, wasm)?;
        let instance = Linker::new(&engine).instantiate_and_start(&mut store, &module)?;
        let memory = instance.get_memory(&store, "memory").ok_or("no memory")?;
        let heap = instance.get_global(&store, "__heap_base").ok_or("no __heap_base")?;
        let heap = heap.get(&store).i32().ok_or("no number")? as usize;
        let bytes = pages * PAGE - heap - 4096;
        let size = file.seek(SeekFrom::End(0))?;
        let read_size = bytes / 16;
        let (pager, need, window) = (0, 0, 0);
        let mut this = Pager { store, instance, memory, file, size, pager, need, window, read_size };
        this.begin(bytes)?;
        Ok(this)
    }

    fn begin(&mut self, bytes: usize) -> Result<()> {
        let options = self.allocate(20)?;
        for (i, value) in [20, 0, bytes as u32, 0, 0].into_iter().enumerate() {
            self.memory.write(&mut self.store, options as usize + 4 * i, &value.to_le_bytes())?;
        }
        self.pager = self.call("cpb_pager_new", (0, options))?;
        if self.pager == 0 {
            return Err("out of memory".into());
        }
        self.call::<_, ()>("free", options)?;
        self.need = self.allocate(32)?;
        self.window = self.allocate(self.read_size as i32)?;
        self.run(&mut |_| Ok(()))
    }

    fn call<P: WasmParams, R: WasmResults>(&mut self, name: &str, params: P) -> Result<R> {
        let function = self.instance.get_typed_func::<P, R>(&self.store, name)?;
        Ok(function.call(&mut self.store, params)?)
    }

    fn allocate(&mut self, size: i32) -> Result<i32> {
        match self.call("malloc", size)? {
            0 => Err("out of memory".into()),
            at => Ok(at),
        }
    }

    fn bytes(&self, at: i32, size: usize) -> &[u8] {
        &self.memory.data(&self.store)[at as u32 as usize..][..size]
    }

    fn load32(&self, at: i32) -> u32 {
        u32::from_le_bytes(self.bytes(at, 4).try_into().unwrap())
    }

    fn load64(&self, at: i32) -> u64 {
        u64::from_le_bytes(self.bytes(at, 8).try_into().unwrap())
    }

    /// Lends the bytes that the pager asks for.
    fn answer(&mut self) -> Result<()> {
        let input: i32 = self.call("cpb_pager_input", self.pager)?;
        self.call::<_, ()>("cpb_input_need", (input, self.need))?;
        let offset = self.load64(self.need + 8);
        if self.load32(self.need) == NEED_SIZE || offset >= self.size {
            return self.call("cpb_input_end", (input, self.size as i64));
        }
        let length = self.read_size.min(self.load32(self.need + 16) as usize);
        self.file.seek(SeekFrom::Start(offset))?;
        let window = self.window as u32 as usize;
        let into = &mut self.memory.data_mut(&mut self.store)[window..window + length];
        let got = self.file.read(into)?;
        self.call("cpb_input_supply", (input, offset as i64, self.window, got as i32))
    }

    /// Hands what the pager gives to `take`, until it is done.
    fn run(&mut self, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        loop {
            match self.call("cpb_pager_step", self.pager)? {
                DONE => return Ok(()),
                NEED => self.answer()?,
                DATA => {
                    let data = self.call("cpb_pager_data", (self.pager, self.need))?;
                    take(self.bytes(data, self.load32(self.need) as usize))?;
                }
                _ => return Err(self.error()?.into()),
            }
        }
    }

    fn error(&mut self) -> Result<String> {
        let at: i32 = self.call("cpb_pager_error", self.pager)?;
        let text = self.bytes(at + 16, 256);
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        Ok(String::from_utf8_lossy(&text[..end]).into_owned())
    }

    fn read(&mut self, chunk: u64, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let code: i32 = self.call("cpb_pager_read", (self.pager, chunk as i64, 0i64, -1i64))?;
        if code != 0 {
            return Err(format!("chunk {chunk} cannot be read").into());
        }
        self.run(take)
    }
}

fn run() -> Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let [_, wasm, path, chunk, rest @ ..] = &words[..] else {
        return Err("usage: cpb-pager cpb-core.wasm MODEL.cpb CHUNK [PAGES]".into());
    };
    let pages = rest.first().map_or(Ok(4), |pages| pages.parse())?;
    let mut pager = Pager::open(&std::fs::read(wasm)?, File::open(path)?, pages)?;
    pager.read(chunk.parse()?, &mut |piece| Ok(stdout().write_all(piece)?))
}

fn main() {
    if let Err(error) = run() {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
