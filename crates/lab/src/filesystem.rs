//! Prepares the private file system of the emulated cluster: names, host files and temporary files,
//! which vanish with the lab's mount namespace.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use netsig_base::network::Network;
use nix::mount::{MsFlags, mount};

use crate::error::{LabError, system, system_or};
use crate::network::{CONTROL_ADDRESS, control_address, host_name};
use crate::{AGENT, netns};

/// Folder of the lab's files.
pub(crate) const FOLDER: &str = "/run/lab";

/// Host file of Open MPI.
pub(crate) const HOSTFILE: &str = "/run/lab/hostfile";

/// Host file of MPICH.
pub(crate) const HOSTFILE_MPICH: &str = "/run/lab/hostfile.mpich";

/// Folder for temporary files of programs in the lab.
pub(crate) const TMPDIR: &str = "/run/lab/tmp";

/// The program that launchers start instead of ssh.
pub(crate) const AGENT_SCRIPT: &str = "/run/lab/agent";

/// Host name of the namespace of `mpirun`.
const CONTROL_HOST: &str = "ctl";

/// An omitted argument of a mount.
pub(crate) const NONE: Option<&str> = None;

/// Prepares the file system and host name of this process's new namespaces.
pub(crate) fn prepare(network: &Network) -> Result<(), LabError> {
    mount_tmpfs("/run")?;
    mount_tmpfs("/dev/shm")?;
    for folder in [netns::NAMESPACE_FOLDER, FOLDER, TMPDIR] {
        fs::create_dir_all(folder).map_err(system("create", folder))?;
    }
    name_host(CONTROL_HOST)?;
    let hosts = |slot: &str| each_host(network, |host| host_name(host) + slot);
    write(HOSTFILE, &hosts(" slots=1\n"))?;
    write(HOSTFILE_MPICH, &hosts(":1\n"))?;
    replace("/etc/hosts", &host_table(network))?;
    let switch = "hosts: files\npasswd: files\ngroup: files\n";
    replace("/etc/nsswitch.conf", switch)?;
    write_agent()
}

/// Sets the host name in the current namespace.
pub(crate) fn name_host(name: &str) -> Result<(), LabError> {
    nix::unistd::sethostname(name).map_err(system("name this host", name))
}

fn mount_tmpfs(target: &str) -> Result<(), LabError> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    let tmpfs = Some("tmpfs");
    mount(tmpfs, target, tmpfs, flags, NONE).map_err(system("mount a tmpfs on", target))
}

/// Replaces the content of `target` by `text` for all processes in the lab.
fn replace(target: &str, text: &str) -> Result<(), LabError> {
    let name = Path::new(target).file_name().unwrap_or_default();
    let source = Path::new(FOLDER).join(name);
    write(&source, text)?;
    let remedy = "create that file on this machine, it may be empty";
    mount(Some(&source), target, NONE, MsFlags::MS_BIND, NONE).map_err(system_or("replace", target, remedy))
}

fn write(path: impl AsRef<Path>, text: &str) -> Result<(), LabError> {
    fs::write(&path, text).map_err(system("write", path.as_ref()))
}

fn each_host(network: &Network, line: impl Fn(u32) -> String) -> String {
    (0..network.hosts().get()).map(line).collect()
}

fn host_table(network: &Network) -> String {
    let hosts = each_host(network, |host| {
        format!("{} {}\n", control_address(host), host_name(host))
    });
    format!("127.0.0.1 localhost\n{CONTROL_ADDRESS} {CONTROL_HOST}\n{hosts}")
}

/// Writes the agent as a script, because launchers expect one path without arguments.
fn write_agent() -> Result<(), LabError> {
    let program = std::env::current_exe().map_err(system("find", "this program"))?;
    let quoted = program.to_string_lossy().replace('\'', r"'\''");
    let script = format!("#!/bin/sh\nexec '{quoted}' {AGENT} \"$@\"\n");
    write(AGENT_SCRIPT, &script)?;
    fs::set_permissions(AGENT_SCRIPT, fs::Permissions::from_mode(0o755))
        .map_err(system("make executable", AGENT_SCRIPT))
}
