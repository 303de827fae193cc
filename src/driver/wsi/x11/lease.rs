//! Leases of displays from an X server (RandR 1.6): the server gives a display away, as if it were
//! unplugged, with a descriptor of the primary node that may use it.
//!
//! In:  an application's socket, outputs of RandR or connectors. Out: connectors, descriptors.
//! Ref: RandR 1.6, "RRCreateLease" and the property CONNECTOR_ID.

use std::os::fd::{BorrowedFd, OwnedFd};

use x11rb::connection::Connection;
use x11rb::protocol::randr::ConnectionExt as _;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _};
use x11rb::rust_connection::RustConnection;

use super::display;
use crate::error::{Error, Result};

/// The property of outputs with the number of the kernel's connector.
const CONNECTOR_ID: &[u8] = b"CONNECTOR_ID";
/// The first version of RandR with leases.
const VERSION: (u32, u32) = (1, 6);

/// A connection to a server that can lease displays.
struct Server {
    connection: RustConnection,
    /// The atom of [`CONNECTOR_ID`]; 0 if no output has that property.
    connector_id: u32,
}

/// An output, and the root window of its screen.
struct Output {
    id: u32,
    root: u32,
    connector: u32,
}

impl Server {
    /// The server that a socket is connected to.
    fn connect(socket: BorrowedFd<'_>) -> Result<Self> {
        let connection = display::connect(&display::display_of(socket)?)?;
        let (major, minor) = VERSION;
        let version = connection.randr_query_version(major, minor);
        let version = version.map_err(Error::lost)?.reply().map_err(Error::lost)?;
        if (version.major_version, version.minor_version) < VERSION {
            return Err(Error::lost("the X server does not lease displays"));
        }
        let atom = connection.intern_atom(true, CONNECTOR_ID);
        let atom = atom.map_err(Error::lost)?.reply().map_err(Error::lost)?;
        Ok(Self {
            connection,
            connector_id: atom.atom,
        })
    }

    /// The outputs with connectors.
    fn outputs(&self) -> Result<Vec<Output>> {
        let mut outputs = Vec::new();
        for screen in &self.connection.setup().roots {
            let resources = self.connection.randr_get_screen_resources(screen.root);
            let resources = resources.map_err(Error::lost)?.reply();
            for id in resources.map_err(Error::lost)?.outputs {
                outputs.extend(self.connector(id)?.map(|connector| Output {
                    id,
                    root: screen.root,
                    connector,
                }));
            }
        }
        Ok(outputs)
    }

    /// The kernel's connector of an output.
    fn connector(&self, output: u32) -> Result<Option<u32>> {
        if self.connector_id == 0 {
            return Ok(None);
        }
        let (kind, delete, pending) = (AtomEnum::ANY, false, false);
        let property = self.connection.randr_get_output_property(
            output,
            self.connector_id,
            kind,
            0,
            1,
            delete,
            pending,
        );
        let property = property
            .map_err(Error::lost)?
            .reply()
            .map_err(Error::lost)?;
        let is_number = property.format == 32 && property.num_items == 1;
        let number = property.data.first_chunk().copied();
        Ok(number.filter(|_| is_number).map(u32::from_ne_bytes))
    }

    /// The CRTC that drives an output alone, or else one that drives none and can drive it.
    fn crtc(&self, output: &Output) -> Result<u32> {
        let resources = self.connection.randr_get_screen_resources(output.root);
        let resources = resources.map_err(Error::lost)?.reply();
        let resources = resources.map_err(Error::lost)?;
        let mut idle = None;
        for &crtc in &resources.crtcs {
            let info = self
                .connection
                .randr_get_crtc_info(crtc, resources.config_timestamp);
            let info = info.map_err(Error::lost)?.reply().map_err(Error::lost)?;
            if info.mode != 0 && info.outputs == [output.id] {
                return Ok(crtc);
            }
            if info.mode == 0 && info.possible.contains(&output.id) {
                idle = idle.or(Some(crtc));
            }
        }
        idle.ok_or_else(|| Error::lost("no CRTC is free to drive the output"))
    }
}

/// The kernel's connector of an output. None: there is no such output, or it has none.
///
/// # Errors
/// The server does not lease displays, or is gone.
pub fn connector_of_output(socket: BorrowedFd<'_>, output: u32) -> Result<Option<u32>> {
    let outputs = Server::connect(socket)?.outputs()?.into_iter();
    let mut outputs = outputs.filter(|known| known.id == output);
    Ok(outputs.next().map(|known| known.connector))
}

/// Leases the display of a connector. The lease ends when the last duplicate of the descriptor is
/// closed.
///
/// # Errors
/// The server does not have the display, has leased it already, or does not lease displays.
pub fn lease(socket: BorrowedFd<'_>, connector: u32) -> Result<OwnedFd> {
    let server = Server::connect(socket)?;
    let outputs = server.outputs()?.into_iter();
    let mut outputs = outputs.filter(|known| known.connector == connector);
    let output = outputs.next();
    let output = output.ok_or_else(|| Error::lost("the X server does not have the display"))?;
    let crtc = server.crtc(&output)?;
    let connection = &server.connection;
    let id = connection.generate_id().map_err(Error::lost)?;
    let created = connection.randr_create_lease(output.root, id, &[crtc], &[output.id]);
    let created = created.map_err(Error::lost)?.reply().map_err(Error::lost)?;
    Ok(created.master_fd)
}
