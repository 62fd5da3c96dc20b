/** Sources announce whole seconds, and playlists round the duration of each segment. */
const TOLERANCE_SECONDS = 1.5
const TOLERANCE = 0.02

/** The least that a file may last whose length was stated. A shorter one is cut off. */
export const shortestOf = (statedSeconds: number): number => statedSeconds * (1 - TOLERANCE) - TOLERANCE_SECONDS

/** The most. A file that lasts longer says something else than it has. */
export const longestOf = (statedSeconds: number): number => statedSeconds * (1 + TOLERANCE) + TOLERANCE_SECONDS
