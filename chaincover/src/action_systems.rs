//! Action systems of other notations.

use crate::error::{Error, ErrorKind};
pub use actions::prolog::{Imported, Wishes};
use actions::{analysis, prolog};

/// An action system in the Prolog notation of Aichernig and Jöbstl ("Towards symbolic model-based
/// mutation testing", MBT 2012, figure 2) as text of this program; what is made of it has been read
/// back.
///
/// ```
/// use chaincover::{ActionWishes, import_action_system};
/// let text = "type(bit, X) :- X in 0..1.  var([on], bit).  state_def([on]).  init([0]).
///     as :- actions ('Press'::(true) => (on := 1 - on), 'Shine'::(on #= 1) => skip),
///           dood ('Press' [] 'Shine').";
/// let inputs = vec!["Press".into()];
/// let wishes = ActionWishes { name: "lamp".into(), inputs, ..Default::default() };
/// let imported = import_action_system(text, &wishes)?;
/// assert!(imported.text.contains("ctr Press is (on := (1 - on))"));
/// # Ok::<(), chaincover::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Source`]: the text does not parse, or says what has no place in an action system.
pub fn import_action_system(text: &str, wishes: &Wishes) -> Result<Imported, Error> {
    let imported =
        prolog::import(text, wishes).map_err(|why| Error::new(ErrorKind::Source, why.to_string()))?;
    analysis::read_text("the imported system", &imported.text)?;
    Ok(imported)
}
