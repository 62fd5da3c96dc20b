export const ensureRuntimes: (log: (line: string) => void) => Promise<{ node20: string; bun: string; deno: string }>
