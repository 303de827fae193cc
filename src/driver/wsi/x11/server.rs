//! Which server a socket leads to, and connections to it.

use std::net::TcpStream;
use std::os::fd::BorrowedFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::UnixStream;

use x11rb::rust_connection::RustConnection;

use crate::error::{Error, Result};

/// Where servers of this machine listen; the display's number follows.
const FOLDER: &str = "/tmp/.X11-unix/X";
/// Port of display 0.
const FIRST_PORT: u16 = 6000;

/// The display that a socket is connected to, as DISPLAY has it.
pub fn display_of(socket: BorrowedFd<'_>) -> Result<String> {
    let own = || socket.try_clone_to_owned().map_err(Error::lost);
    if let Ok(peer) = UnixStream::from(own()?).peer_addr() {
        let abstract_name = peer.as_abstract_name().map(String::from_utf8_lossy);
        let path = peer.as_pathname().map(|path| path.to_string_lossy());
        return match path.or(abstract_name) {
            Some(path) => of_path(&path),
            None => Err(Error::lost("the connection's other end has no name")),
        };
    }
    let peer = TcpStream::from(own()?).peer_addr().map_err(Error::lost)?;
    match peer.port().checked_sub(FIRST_PORT) {
        Some(number) => Ok(format!("{}:{number}", peer.ip())),
        None => Err(Error::lost(format!("{peer} is no X server's address"))),
    }
}

/// A connection of our own to a display.
pub fn connect(display: &str) -> Result<RustConnection> {
    let (connection, _) = RustConnection::connect(Some(display)).map_err(Error::lost)?;
    Ok(connection)
}

fn of_path(path: &str) -> Result<String> {
    match path.strip_prefix(FOLDER) {
        Some(number) => Ok(format!(":{number}")),
        None => Err(Error::lost(format!("{path} is no X server's address"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_displays() {
        assert_eq!(of_path("/tmp/.X11-unix/X99").unwrap(), ":99");
        assert!(of_path("something").is_err());
    }

    #[test]
    fn a_socket_without_a_name_is_refused() {
        use std::os::fd::AsFd;
        let (one, _other) = UnixStream::pair().unwrap();
        assert!(display_of(one.as_fd()).is_err());
    }
}
