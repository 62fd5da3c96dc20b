import { findWalls, isWeakAccepted } from './walls.ts'

export type SandboxState = Awaited<ReturnType<typeof checkSandbox>>

/**
 * Whether the walls around untrusted input are up, for /health and for the decision to accept work. Resolves when the walls
 * around children that run once are known.
 */
export const checkSandbox = async (onMissing: (sentence: string) => void) => {
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
    /** False: a wall is missing, and the operator has not set SANDBOX=weak. */
    get mayWork(): boolean {
      return missing.length === 0 || isWeakAccepted()
    },
    /** true, or a sentence that names the missing walls. */
    get health(): true | string {
      return missing.length === 0 || describe()
    },
    /** Walls around yt-dlp are known when it has started. Until then its forks refuse on their own to read a page. */
    ytDlpMisses: (walls: readonly string[]): void => {
      // Without bubblewrap nothing is isolated, and yt-dlp adds nothing to the sentence.
      if (isolation === 'bubblewrap') add('yt-dlp', walls)
    },
  }
}
