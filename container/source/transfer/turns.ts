/** What something that is not the next may hold in memory; then its origin waits. */
const heldBytes = 4 * 1_048_576

type Write = (bytes: Uint8Array) => Promise<void>

/** Holds bytes back, a few, until it is their turn; from then on they pass straight through. */
export function heldUntil(turn: Promise<void>, write: Write): { put: Write; end(): Promise<void> } {
  const held: Uint8Array[] = []
  let size = 0
  let isTurn = false
  turn.then(
    () => {
      isTurn = true
    },
    // Whoever failed says so; those behind only wait in vain.
    () => {},
  )
  const end = async () => {
    await turn
    for (const bytes of held.splice(0)) await write(bytes)
  }
  return {
    async put(bytes) {
      held.push(bytes)
      size += bytes.length
      if (isTurn || size >= heldBytes) await end()
    },
    end,
  }
}
