//! An X server that knows only what leases of displays need: RandR with two outputs.
//!
//! In:  what it offers. Out: replies, and descriptors of the simulated primary node.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use x11rb::protocol::randr::{
    CreateLeaseReply, GetCrtcInfoReply, GetOutputPropertyReply, GetScreenResourcesReply,
    QueryVersionReply, Rotation, SetConfig,
};
use x11rb::protocol::xproto::{InternAtomReply, QueryExtensionReply, Screen, Setup};
use x11rb::rust_connection::{DefaultStream, PollMode, Stream};
use x11rb::utils::RawFdContainer;
use x11rb::x11_utils::Serialize;

/// The root window, the atom CONNECTOR_ID, and the opcode of RandR.
const ROOT: u32 = 0x100;
const CONNECTOR_ID: u32 = 70;
const RANDR: u8 = 140;
/// BadAccess and BadValue.
const BAD_ACCESS: u8 = 10;
const BAD_VALUE: u8 = 2;
/// The IDs that a client may choose.
const CLIENT_IDS: u32 = 0x0040_0000;
const CLIENT_ID_MASK: u32 = 0x001f_ffff;

/// The outputs: that of the simulated monitor, one of another GPU, one without a connector.
pub const OUTPUT: u32 = 0x201;
pub const FOREIGN_OUTPUT: u32 = 0x202;
pub const BARE_OUTPUT: u32 = 0x203;
/// The connectors of the first two. The simulated kernel has the first.
pub const CONNECTORS: [(u32, u32); 2] = [(OUTPUT, 61), (FOREIGN_OUTPUT, 62)];

/// A CRTC: its number, its mode, the outputs that it drives, those that it could drive.
type CrtcRow = (u32, u32, &'static [u32], &'static [u32]);

/// What the server offers.
#[derive(Clone)]
pub struct Offer {
    /// The version of RandR.
    pub version: (u32, u32),
    pub crtcs: Vec<CrtcRow>,
    /// Whether outputs have the property CONNECTOR_ID.
    pub has_connectors: bool,
}

impl Default for Offer {
    fn default() -> Self {
        Self {
            version: (1, 6),
            crtcs: vec![
                // Two outputs show the same; one is driven alone.
                (0x301, 5, &[BARE_OUTPUT, OUTPUT], &[BARE_OUTPUT, OUTPUT]),
                (0x302, 5, &[OUTPUT], &[OUTPUT]),
                (0x303, 0, &[], &[OUTPUT]),
            ],
            has_connectors: true,
        }
    }
}

/// A running server.
pub struct XServer {
    path: PathBuf,
    /// The CRTC and the output of each lease.
    pub leases: Arc<Mutex<BTreeSet<(u32, u32)>>>,
}

impl XServer {
    pub fn start(offer: Offer) -> Self {
        let folder = PathBuf::from("/tmp/.X11-unix");
        std::fs::create_dir_all(&folder).unwrap();
        // Numbers that no server chooses.
        let mut numbers = 20_000 + std::process::id() % 20_000..60_000;
        let (path, listener) = numbers
            .find_map(|number| {
                let path = folder.join(format!("X{number}"));
                let listener = UnixListener::bind(&path).ok()?;
                Some((path, listener))
            })
            .unwrap();
        let leases = Arc::<Mutex<BTreeSet<(u32, u32)>>>::default();
        let shared = leases.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut client = Client {
                    stream: DefaultStream::from_unix_stream(stream.unwrap()).unwrap().0,
                    offer: offer.clone(),
                    leases: shared.clone(),
                    sequence: 0,
                };
                std::thread::spawn(move || client.serve());
            }
        });
        Self { path, leases }
    }

    /// A socket of an application.
    pub fn connect(&self) -> UnixStream {
        UnixStream::connect(&self.path).unwrap()
    }
}

impl Drop for XServer {
    fn drop(&mut self) {
        std::fs::remove_file(&self.path).unwrap();
    }
}

struct Client {
    stream: DefaultStream,
    offer: Offer,
    leases: Arc<Mutex<BTreeSet<(u32, u32)>>>,
    sequence: u16,
}

fn word(bytes: &[u8], index: usize) -> u32 {
    u32::from_ne_bytes(*bytes[index * 4..].first_chunk().unwrap())
}

fn half(bytes: &[u8], index: usize) -> u16 {
    u16::from_ne_bytes(*bytes[index * 2..].first_chunk().unwrap())
}

impl Client {
    /// Reads bytes. None: the client has closed its connection.
    fn read(&self, count: usize) -> Option<Vec<u8>> {
        let (mut bytes, mut done) = (vec![0; count], 0);
        while done < count {
            self.stream.poll(PollMode::Readable).ok()?;
            match self.stream.read(&mut bytes[done..], &mut Vec::new()) {
                Ok(0) => return None,
                Ok(more) => done += more,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(_) => return None,
            }
        }
        Some(bytes)
    }

    /// Writes a reply, whose length field it sets.
    fn reply(&self, reply: &impl Serialize, mut files: Vec<RawFdContainer>) {
        let mut bytes = Vec::new();
        reply.serialize_into(&mut bytes);
        let length = bytes.len().max(32).next_multiple_of(4);
        bytes.resize(length, 0);
        bytes[4..8].copy_from_slice(&((length as u32 - 32) / 4).to_ne_bytes());
        assert_eq!(self.stream.write(&bytes, &mut files).unwrap(), length);
    }

    fn error(&self, code: u8, minor: u8) {
        let mut bytes = [0; 32];
        bytes[1] = code;
        bytes[2..4].copy_from_slice(&self.sequence.to_ne_bytes());
        (bytes[8], bytes[10]) = (minor, RANDR);
        let written = self.stream.write(&bytes, &mut Vec::new());
        assert_eq!(written.unwrap(), 32);
    }

    fn serve(&mut self) -> Option<()> {
        let header = self.read(12)?;
        let strings = [half(&header, 3), half(&header, 4)];
        let strings = strings.map(|length| usize::from(length).next_multiple_of(4));
        self.read(strings.iter().sum())?;
        let setup = Setup {
            status: 1,
            protocol_major_version: 11,
            resource_id_base: CLIENT_IDS,
            resource_id_mask: CLIENT_ID_MASK,
            maximum_request_length: u16::MAX,
            roots: vec![Screen {
                root: ROOT,
                ..Screen::default()
            }],
            ..Setup::default()
        };
        let mut bytes = setup.serialize();
        let words = (bytes.len() as u16 - 8) / 4;
        bytes[6..8].copy_from_slice(&words.to_ne_bytes());
        self.stream.write(&bytes, &mut Vec::new()).ok()?;
        loop {
            let header = self.read(4)?;
            let body = self.read(usize::from(half(&header, 1)) * 4 - 4)?;
            self.sequence += 1;
            self.request(header[0], header[1], &body);
        }
    }

    fn request(&self, major: u8, minor: u8, body: &[u8]) {
        let sequence = self.sequence;
        match (major, minor) {
            // QueryExtension.
            (98, _) => {
                let name = &body[4..4 + usize::from(half(body, 0))];
                let reply = QueryExtensionReply {
                    sequence,
                    length: 0,
                    present: name == b"RANDR",
                    major_opcode: RANDR,
                    first_event: 90,
                    first_error: 150,
                };
                self.reply(&reply, Vec::new());
            }
            // InternAtom, only if it exists.
            (16, 1) => {
                let name = &body[4..4 + usize::from(half(body, 0))];
                let known = name == b"CONNECTOR_ID" && self.offer.has_connectors;
                let atom = if known { CONNECTOR_ID } else { 0 };
                let reply = InternAtomReply {
                    sequence,
                    length: 0,
                    atom,
                };
                self.reply(&reply, Vec::new());
            }
            (RANDR, 0) => {
                let (major_version, minor_version) = self.offer.version;
                let reply = QueryVersionReply {
                    sequence,
                    length: 0,
                    major_version,
                    minor_version,
                };
                self.reply(&reply, Vec::new());
            }
            (RANDR, 8) => {
                assert_eq!(word(body, 0), ROOT);
                let reply = GetScreenResourcesReply {
                    sequence,
                    length: 0,
                    timestamp: 1,
                    config_timestamp: 2,
                    crtcs: self.offer.crtcs.iter().map(|row| row.0).collect(),
                    outputs: vec![BARE_OUTPUT, FOREIGN_OUTPUT, OUTPUT],
                    modes: Vec::new(),
                    names: Vec::new(),
                };
                self.reply(&reply, Vec::new());
            }
            (RANDR, 15) => self.output_property(body),
            (RANDR, 20) => {
                let mut rows = self.offer.crtcs.iter();
                let row = rows.find(|row| row.0 == word(body, 0)).unwrap();
                let reply = GetCrtcInfoReply {
                    status: SetConfig::SUCCESS,
                    sequence,
                    length: 0,
                    timestamp: 1,
                    x: 0,
                    y: 0,
                    width: 640,
                    height: 480,
                    mode: row.1,
                    rotation: Rotation::ROTATE0,
                    rotations: Rotation::ROTATE0,
                    outputs: row.2.to_vec(),
                    possible: row.3.to_vec(),
                };
                self.reply(&reply, Vec::new());
            }
            (RANDR, 45) => self.create_lease(body),
            other => panic!("{other:?}"),
        }
    }

    fn output_property(&self, body: &[u8]) {
        let (output, property) = (word(body, 0), word(body, 1));
        assert_eq!(property, CONNECTOR_ID);
        let connector = CONNECTORS.iter().find(|row| row.0 == output);
        let connector = connector.map(|row| row.1.to_ne_bytes().to_vec());
        let reply = GetOutputPropertyReply {
            format: if connector.is_some() { 32 } else { 0 },
            sequence: self.sequence,
            length: 0,
            type_: 19,
            bytes_after: 0,
            num_items: connector.iter().len() as u32,
            data: connector.unwrap_or_default(),
        };
        self.reply(&reply, Vec::new());
    }

    fn create_lease(&self, body: &[u8]) {
        let (root, id) = (word(body, 0), word(body, 1));
        assert_eq!((root, id & !CLIENT_ID_MASK), (ROOT, CLIENT_IDS));
        assert_eq!([half(body, 4), half(body, 5)], [1, 1]);
        let (crtc, output) = (word(body, 3), word(body, 4));
        let mut leases = self.leases.lock().unwrap();
        if leases.iter().any(|lease| lease.1 == output) {
            return self.error(BAD_ACCESS, 45);
        }
        let node = File::options()
            .read(true)
            .write(true)
            .open("/dev/dri/card0");
        let Ok(node) = node else {
            return self.error(BAD_VALUE, 45);
        };
        leases.insert((crtc, output));
        let reply = CreateLeaseReply {
            nfd: 1,
            sequence: self.sequence,
            length: 0,
            master_fd: File::open("/dev/null").unwrap().into(),
        };
        self.reply(&reply, vec![node.into()]);
    }
}
