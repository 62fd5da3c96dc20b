export declare const ensureVersity: () => Promise<string>
export declare class S3ServerNotServed extends Error {}
