//! X displays: finds the display that a socket is connected to, and connects to it.
//!
//! In:  a socket. Out: a display name; connections.

use std::net::TcpStream;
use std::os::fd::BorrowedFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::UnixStream;

use x11rb::rust_connection::RustConnection;

use crate::error::{Error, Result};

/// Path of the sockets of this machine's servers, without the display number.
const FOLDER: &str = "/tmp/.X11-unix/X";
/// Port of display 0.
const FIRST_PORT: u16 = 6000;

/// The display that a socket is connected to, in the form of DISPLAY.
pub fn display_of(socket: BorrowedFd<'_>) -> Result<String> {
    let duplicate = || socket.try_clone_to_owned().map_err(Error::lost);
    if let Ok(peer) = UnixStream::from(duplicate()?).peer_addr() {
        let abstract_name = peer.as_abstract_name().map(String::from_utf8_lossy);
        let path = peer.as_pathname().map(|path| path.to_string_lossy());
        return match path.or(abstract_name) {
            Some(path) => display_of_path(&path),
            None => Err(Error::lost("the connection's other end has no name")),
        };
    }
    let peer = TcpStream::from(duplicate()?)
        .peer_addr()
        .map_err(Error::lost)?;
    match peer.port().checked_sub(FIRST_PORT) {
        Some(number) => Ok(format!("{}:{number}", peer.ip())),
        None => Err(Error::lost(format!("{peer} is no X server's address"))),
    }
}

/// Opens a connection to a display.
pub fn connect(display: &str) -> Result<RustConnection> {
    let (connection, _) = RustConnection::connect(Some(display)).map_err(Error::lost)?;
    Ok(connection)
}

/// Whether a display, by its name, is reached by a socket of this machine: then its clock is this
/// machine's.
pub fn is_local(display: &str) -> bool {
    display.starts_with(':')
}

/// The display of a socket's path.
fn display_of_path(path: &str) -> Result<String> {
    match path.strip_prefix(FOLDER) {
        Some(number) => Ok(format!(":{number}")),
        None => Err(Error::lost(format!("{path} is no X server's address"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displays_are_parsed_from_paths() {
        assert_eq!(display_of_path("/tmp/.X11-unix/X99").unwrap(), ":99");
        assert!(display_of_path("something").is_err());
        assert!(is_local(":99"));
        assert!(!is_local("127.0.0.1:0"));
    }

    #[test]
    fn a_socket_without_a_name_is_refused() {
        use std::os::fd::AsFd;
        let (one, _other) = UnixStream::pair().unwrap();
        assert!(display_of(one.as_fd()).is_err());
    }
}
