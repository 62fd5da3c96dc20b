import { findWalls, isWeakAccepted } from './walls.ts'

/** Whether the walls around untrusted input are up, for /health and for the decision to accept work. */
export interface SandboxState {
  /** False: a wall is missing, and the operator has not set SANDBOX=weak. */
  readonly mayWork: boolean
  /** true, or a sentence that names the missing walls. */
  readonly health: true | string
}

/**
 * Resolves when the walls around children that run once are known. Those around yt-dlp are known when it has started;
 * until then its forks refuse on their own to read a page.
 */
export const checkSandbox = async (
  ytDlp: { missingWalls(): Promise<readonly string[]> },
  onMissing: (sentence: string) => void,
): Promise<SandboxState> => {
  const missing: string[] = []
  const describe = () =>
    isWeakAccepted()
      ? `${missing.join('. ')}. SANDBOX=weak accepts this.`
      : `${missing.join('. ')}. Until this is fixed, the container does no work. To accept it, set SANDBOX=weak.`
  const add = (who: string, walls: readonly string[]) => {
    if (walls.length === 0) return
    missing.push(`${who} can ${walls.join(', ')}`)
    onMissing(describe())
  }
  const { isolation, missing: ofChildren } = await findWalls()
  add('Child processes', ofChildren)
  // Without bubblewrap nothing is isolated, and yt-dlp adds nothing to the sentence.
  if (isolation === 'bubblewrap') {
    ytDlp.missingWalls().then(
      (walls) => add('yt-dlp', walls),
      () => {}, // It cannot start, which its own part of /health reports.
    )
  }
  return {
    get mayWork() {
      return missing.length === 0 || isWeakAccepted()
    },
    get health() {
      return missing.length === 0 || describe()
    },
  }
}
