export const ensureN8n: (log: (line: string) => void) => Promise<string>
