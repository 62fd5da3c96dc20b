export function ensureClient(log: (line: string) => void): Promise<void>
