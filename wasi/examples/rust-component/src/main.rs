//! cpb-field COMPONENT.wasm URL FIELD: writes a field, of which the server is asked for ranges.
use std::io::{Read, Write};
use wasmtime::{component::{bindgen, Component, HasSelf, Linker, Resource}, Engine, Result, Store};
bindgen!({ path: "../../component/wit", world: "reader" });
use {exports::libcpb::cpb::messages::{Form, MessageOptions}, libcpb::cpb::source::{Failure, Host, HostSource, Source}};

struct Url(String, String); // its host, and its path
impl Url {
    fn get(&self, first: u64, last: u64) -> Option<(u64, Vec<u8>)> {
        let (mut server, mut all) = (std::net::TcpStream::connect(&self.0).ok()?, Vec::new());
        write!(server, "GET /{} HTTP/1.0\r\nHost: {}\r\nRange: bytes={first}-{last}\r\n\r\n", self.1, self.0).ok()?;
        server.read_to_end(&mut all).ok()?;
        let body = all.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
        let head = String::from_utf8_lossy(&all[..body]).to_lowercase();
        let size = head.split("content-range: bytes ").nth(1)?.lines().next()?.split('/').nth(1)?.parse().ok()?;
        Some((size, all.split_off(body)))
    }
}
fn none() -> Failure { Failure::Failed("the server does not answer, or gives no ranges".into()) }
impl Host for Url {}
impl HostSource for Url {
    fn size(&mut self, _: Resource<Source>) -> Result<u64, Failure> { Ok(self.get(0, 0).ok_or_else(none)?.0) }
    fn read_at(&mut self, _: Resource<Source>, at: u64, length: u32, _: u64) -> Result<Vec<u8>, Failure> {
        Ok(self.get(at, at + u64::from(length) - 1).ok_or_else(none)?.1)
    }
    fn drop(&mut self, _: Resource<Source>) -> Result<()> { Ok(()) }
}

fn main() -> Result<()> {
    let [wasm, url, path] = std::env::args().skip(1).collect::<Vec<_>>().try_into().expect("three arguments");
    let (host, file) = url.strip_prefix("http://").and_then(|url| url.split_once('/')).expect("an http URL");
    let engine = Engine::default();
    let (mut linker, mut store) = (Linker::new(&engine), Store::new(&engine, Url(host.into(), file.into())));
    Reader::add_to_linker::<_, HasSelf<_>>(&mut linker, |url: &mut Url| url)?;
    let reader = Reader::instantiate(&mut store, &Component::from_file(&engine, wasm)?, &linker)?;
    let messages = reader.libcpb_cpb_messages();
    let options = MessageOptions { form: Form::Guess, schema: None, type_name: None, read_size: None };
    let field = messages.call_open_field(&mut store, Resource::new_own(0), &options, &path)??;
    let content = messages.field().call_read(&mut store, field, 0, None)??;
    let bytes = reader.libcpb_cpb_chunked().content().call_next(&mut store, content, u32::MAX)??;
    Ok(std::io::stdout().write_all(&bytes.unwrap_or_default())?)
}
