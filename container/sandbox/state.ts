import { findWalls, isWeakAccepted } from './walls.ts'

/** Whether the walls around untrusted input are up, for /health and for the decision to accept work. */
export interface SandboxState {
  /** False: a wall is missing, and the operator has not set SANDBOX=weak. */
  readonly mayWork: boolean
  /** true, or a sentence that names the missing walls. */
  readonly health: true | string
  /** Walls around yt-dlp are known when it has started. Until then its forks refuse on their own to read a page. */
  ytDlpMisses(walls: readonly string[]): void
}

/** Resolves when the walls around children that run once are known. */
export const checkSandbox = async (onMissing: (sentence: string) => void): Promise<SandboxState> => {
  const missing: string[] = []
  const describe = () =>
    isWeakAccepted()
      ? `${missing.join('. ')}. SANDBOX=weak accepts this.`
      : `${missing.join('. ')}. Until this is fixed, the container does no work. To accept it, set SANDBOX=weak.`
  const add = (who: string, walls: readonly string[]) => {
    const sentence = `${who} can ${walls.join(', ')}`
    if (walls.length === 0 || missing.includes(sentence)) return
    missing.push(sentence)
    onMissing(describe())
  }
  const { isolation, missing: ofChildren } = await findWalls()
  add('Child processes', ofChildren)
  return {
    get mayWork() {
      return missing.length === 0 || isWeakAccepted()
    },
    get health() {
      return missing.length === 0 || describe()
    },
    ytDlpMisses: (walls) => {
      // Without bubblewrap nothing is isolated, and yt-dlp adds nothing to the sentence.
      if (isolation === 'bubblewrap') add('yt-dlp', walls)
    },
  }
}
