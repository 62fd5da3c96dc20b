/** A bug to plant: what the text of a product file says instead. */
export interface PlantedBug {
  path: string
  /** Occurs once in the file. */
  find: string
  instead: string
}

/** A bug that a test must find. */
export interface TestedBug extends PlantedBug {
  /** The test files, at the level where the behaviour is decided. */
  foundBy: string[]
}

/** The source of the file with the bug in it. */
export const withBug = (source: string, { path, find, instead }: PlantedBug): string => {
  if (source.split(find).length !== 2) throw new Error(`${path} does not contain this once: ${find}`)
  return source.replace(find, () => instead)
}
