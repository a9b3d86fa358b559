//! The headers of this tool: freestanding and small, so that nothing depends on the host, and stubs
//! for what code generators expect.

use crate::code::Code;
use std::path::Path;

/// The header that stands in for one that generated code includes by its place in an installation:
/// SCADE's `user_macros.h` names the macros of the libraries a model uses
/// (`C:/.../libmathext/macro_libmathext.h`).
pub(super) fn stand_in(wanted: &Path) -> Option<&'static str> {
    let name = wanted.file_name()?.to_str()?.to_ascii_lowercase();
    let library = name.strip_prefix("macro_lib")?;
    library.ends_with(".h").then_some("kcg_macro_library.h")
}

/// Why there is no such header: its code and message, for those of what is not supported.
pub(super) fn refused(header: &str) -> Option<(Code, &'static str)> {
    let header = header.trim_start_matches("./");
    Some(match header {
        "pthread.h" | "threads.h" | "semaphore.h" | "sched.h" => (
            Code::UnsupportedThreads,
            "threads are not supported: leave out what starts and joins them, and check what one of them does",
        ),
        "stdatomic.h" => (
            Code::UnsupportedThreads,
            "atomic types are not supported: a step runs alone, so that ordinary types do; define the operations as macros",
        ),
        "setjmp.h" => {
            (Code::UnsupportedJump, "jumps out of functions (`setjmp`, `longjmp`) are not supported")
        }
        "complex.h" => (Code::UnsupportedType, "complex numbers are not supported"),
        "smmintrin.h" | "x86intrin.h" | "arm_neon.h" => (
            Code::UnsupportedVector,
            "vector instructions are not supported: build the code for a target without them",
        ),
        _ => return None,
    })
}

/// Names and texts, as they are written into the include folder.
pub(super) const HEADERS: &[(&str, &str)] = &[
    ("arm_math.h", include_str!("../../include/arm_math.h")),
    ("assert.h", include_str!("../../include/assert.h")),
    ("builtin_typeid_types.h", include_str!("../../include/builtin_typeid_types.h")),
    ("config_types.h", include_str!("../../include/config_types.h")),
    ("ctype.h", include_str!("../../include/ctype.h")),
    ("dt_info.h", include_str!("../../include/dt_info.h")),
    ("emmintrin.h", include_str!("../../include/emmintrin.h")),
    ("errno.h", include_str!("../../include/errno.h")),
    ("ext_work.h", include_str!("../../include/ext_work.h")),
    ("features.h", include_str!("../../include/features.h")),
    ("fenv.h", include_str!("../../include/fenv.h")),
    ("fixedpoint.h", include_str!("../../include/fixedpoint.h")),
    ("float.h", include_str!("../../include/float.h")),
    ("immintrin.h", include_str!("../../include/immintrin.h")),
    ("inttypes.h", include_str!("../../include/inttypes.h")),
    ("iso646.h", include_str!("../../include/iso646.h")),
    ("kcg_assign.h", include_str!("../../include/kcg_assign.h")),
    ("kcg_macro_library.h", include_str!("../../include/kcg_macro_library.h")),
    ("limits.h", include_str!("../../include/limits.h")),
    ("math.h", include_str!("../../include/math.h")),
    ("model_reference_types.h", include_str!("../../include/model_reference_types.h")),
    ("multiword_types.h", include_str!("../../include/multiword_types.h")),
    ("pervasives.h", include_str!("../../include/pervasives.h")),
    ("rt_defines.h", include_str!("../../include/rt_defines.h")),
    ("rt_logging.h", include_str!("../../include/rt_logging.h")),
    ("rt_logging_mmi.h", include_str!("../../include/rt_logging_mmi.h")),
    ("rt_nonfinite.h", include_str!("../../include/rt_nonfinite.h")),
    ("rtGetInf.h", include_str!("../../include/rtGetInf.h")),
    ("rtGetNaN.h", include_str!("../../include/rtGetNaN.h")),
    ("rtw_continuous.h", include_str!("../../include/rtw_continuous.h")),
    ("rtw_extmode.h", include_str!("../../include/rtw_extmode.h")),
    ("rtw_matlogging.h", include_str!("../../include/rtw_matlogging.h")),
    ("rtw_modelmap.h", include_str!("../../include/rtw_modelmap.h")),
    ("rtw_solver.h", include_str!("../../include/rtw_solver.h")),
    ("rtwtypes.h", include_str!("../../include/rtwtypes.h")),
    ("simstruc.h", include_str!("../../include/simstruc.h")),
    ("simstruc_types.h", include_str!("../../include/simstruc_types.h")),
    ("solver_zc.h", include_str!("../../include/solver_zc.h")),
    ("stdalign.h", include_str!("../../include/stdalign.h")),
    ("stdarg.h", include_str!("../../include/stdarg.h")),
    ("stdbool.h", include_str!("../../include/stdbool.h")),
    ("stddef.h", include_str!("../../include/stddef.h")),
    ("stdint.h", include_str!("../../include/stdint.h")),
    ("stdio.h", include_str!("../../include/stdio.h")),
    ("stdlib.h", include_str!("../../include/stdlib.h")),
    ("stdnoreturn.h", include_str!("../../include/stdnoreturn.h")),
    ("strings.h", include_str!("../../include/strings.h")),
    ("string.h", include_str!("../../include/string.h")),
    ("sysran_types.h", include_str!("../../include/sysran_types.h")),
    ("time.h", include_str!("../../include/time.h")),
    ("tl_basetypes.h", include_str!("../../include/tl_basetypes.h")),
    ("tmwtypes.h", include_str!("../../include/tmwtypes.h")),
    ("user_macros.h", include_str!("../../include/user_macros.h")),
    ("wchar.h", include_str!("../../include/wchar.h")),
    ("xmmintrin.h", include_str!("../../include/xmmintrin.h")),
    ("zero_crossing_types.h", include_str!("../../include/zero_crossing_types.h")),
];
