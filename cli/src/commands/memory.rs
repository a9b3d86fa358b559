//! How much memory there is, and how much this process has.

use chaincover::{address_space, kibibytes};
use std::path::{Path, PathBuf};

/// What this process has, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Memory in use.
    pub(crate) resident: u64,
    /// Address space, of which not all need be in use.
    pub(crate) space: u64,
}

impl Usage {
    /// What it has now; `None` where the system does not tell.
    pub(crate) fn now() -> Option<Self> {
        let text = std::fs::read_to_string("/proc/self/status").ok()?;
        Some(Self { resident: kibibytes(&text, "VmRSS:")?, space: kibibytes(&text, "VmSize:")? })
    }
}

/// What may be in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Memory in use.
    pub(crate) resident: Option<u64>,
    /// Address space, where the system limits it: beyond that, memory cannot be had and the process
    /// is ended.
    pub(crate) space: Option<u64>,
}

impl Limits {
    /// What was asked for, else half of what the machine or the group of the process has; and what
    /// the system leaves.
    pub(crate) fn new(asked: Option<u64>) -> Self {
        Self {
            resident: asked.or_else(|| available().map(|all| all / 2)),
            space: address_space().map(usable),
        }
    }

    /// What each of so many processes may have in use, of what was asked for or half of what there is.
    pub(crate) fn share(asked: Option<u64>, processes: u32) -> Option<u64> {
        match processes {
            0 | 1 => asked,
            processes => Self::new(asked).resident.map(|all| all / u64::from(processes)),
        }
    }

    /// Whether more is in use.
    pub(crate) fn are_exceeded(self, usage: Usage) -> bool {
        let exceeds = |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used > limit);
        exceeds(self.resident, usage.resident) || exceeds(self.space, usage.space)
    }

    /// Limits that are exceeded only where nothing was given up when it should have been.
    pub(crate) fn beyond(self) -> Self {
        Self { resident: self.resident.map(|limit| limit.saturating_add(limit / 2)), space: None }
    }
}

/// Address space that may be used where so much is allowed: tables grow by doubling, so a part is
/// kept back.
const fn usable(space: u64) -> u64 {
    space / 4 * 3
}

/// Memory of the machine, or of the group of processes that this one belongs to.
fn available() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok();
    let machine = machine.and_then(|text| kibibytes(&text, "MemTotal:"));
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = limit_files(&groups).into_iter().filter_map(|path| {
        let text = std::fs::read_to_string(path).ok()?;
        text.trim().parse().ok()
    });
    group.chain(machine).min()
}

/// The files that limit the memory of the groups of a process and of those around them.
fn limit_files(groups: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, name) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            names if names.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let inner = Path::new(path.trim_start_matches('/'));
        files.extend(inner.ancestors().map(|group| Path::new(root).join(group).join(name)));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_those_around_them_limit_memory() {
        let files = limit_files("4:memory:/jobs/one\n0::/user.slice\n3:cpuset:/x\nnonsense\n");
        let files: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
        assert_eq!(
            files,
            [
                "/sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/jobs/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                "/sys/fs/cgroup/user.slice/memory.max",
                "/sys/fs/cgroup/memory.max",
            ]
        );
    }

    #[test]
    fn what_is_in_use_is_measured() {
        let usage = Usage::now().expect("the system should tell");
        assert!(usage.resident > 0 && usage.space >= usage.resident);
        let limits = |resident, space| Limits { resident, space };
        assert!(!limits(None, None).are_exceeded(usage));
        assert!(limits(Some(1), None).are_exceeded(usage));
        assert!(limits(None, Some(1)).are_exceeded(usage));
        assert_eq!(limits(Some(100), Some(100)).beyond(), limits(Some(150), None));
    }
}
