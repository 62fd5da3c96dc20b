export declare const AccountObject: {
    addKey: (args_0: {
        hash: string;
        id: string;
    }) => boolean | null;
    admit: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, admission: {
        diskBytes: number | null;
        hold: number;
        idempotency: {
            fingerprint: string;
            key: string;
        } | null;
        kind: "import" | "transcription";
        origin: string | null;
        request: {
            audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
            audioQuality: "best" | "high" | "low" | "lowest" | "medium";
            clip: {
                endSeconds: number | null;
                startSeconds: number | null;
            } | null;
            includeAudio: boolean;
            includeVideo: boolean;
            storageBucket: string | null;
            storageClass: string | null;
            storageFilename: string | null;
            storagePath: string | null;
            storageReturnLocation: boolean;
            store: boolean;
            url: string;
            videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
            webhookUrl: string | null;
        } | {
            captionsFirst: boolean;
            clip: {
                endSeconds: number | null;
                startSeconds: number | null;
            } | null;
            importId: string | null;
            language: string | null;
            maxCostMicros: number | null;
            provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
            providerOptions: string | null;
            speakers: {
                max: number | null;
                min: number | null;
            } | null;
            uploadId: string | null;
            url: string | null;
            webhookUrl: string | null;
            words: boolean;
        };
        reuseKey: string;
    } & {
        joinKey?: string;
        requestId?: string;
        sealedKey?: string | null;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: true;
            value: {
                isReused: boolean;
                jobId: string;
            };
        } | {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        };
    };
    admitBatch: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, admission: {
        idempotency: {
            fingerprint: string;
            key: string;
        } | null;
        item: {
            kind: "import";
            request: {
                audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                includeAudio: boolean;
                includeVideo: boolean;
                storageBucket: string | null;
                storageClass: string | null;
                storageFilename: string | null;
                storagePath: string | null;
                storageReturnLocation: boolean;
                store: boolean;
                videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                webhookUrl: string | null;
            };
        } | {
            kind: "transcription";
            request: {
                captionsFirst: boolean;
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                language: string | null;
                maxCostMicros: number | null;
                provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                providerOptions: string | null;
                speakers: {
                    max: number | null;
                    min: number | null;
                } | null;
                webhookUrl: string | null;
                words: boolean;
            };
        };
        maxCostMicros: number | null;
        origin: string | null;
        reuseWithinSeconds: number;
        source: {
            kind: "urls";
            urls: string[];
        } | {
            kind: "playlist";
            limit: number;
            url: string;
        };
        webhookUrl: string | null;
    } & {
        requestId?: string;
        sealedKey?: string | null;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                batchId: string;
                total: number | null;
                webhookUrl: string | null;
            };
        };
    };
    admitItem: (report: {
        batchId: string;
        index: number | null;
        lease: string;
    }, admission: {
        diskBytes: number | null;
        hold: number;
        reuseKey: string;
    }) => boolean;
    advance: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, args_1: {
        carry: ({
            audioCodec: string | null;
            contentType: string;
            downloadedBytes: number;
            durationSeconds: number;
            fileSizeBytes: number;
            filename: string;
            height: number | null;
            note: string | null;
            sha256: string;
            stored: {
                attempt: number;
                hasThumbnail: boolean;
            };
            title: string;
            videoCodec: string | null;
            width: number | null;
        } & {
            billedBytes?: number;
            clip?: {
                actualStartSeconds: number;
                endSeconds: number;
                startSeconds: number;
            };
            transcoded?: boolean;
        }) | ({
            attempt: number;
            downloadedBytes: number;
            durationSeconds: number;
            pieces: {
                durationSeconds: number;
                key: string;
                offsetSeconds: number;
                sizeBytes: number;
            }[];
            waits: number;
        } & {
            chapters?: {
                endSeconds: number;
                startSeconds: number;
                title: string;
            }[];
            mediaSeconds?: number;
            title?: string;
        }) | null;
        holdMicros: number;
        keys: string[];
        next: "audio" | "captions" | "deliver" | "fetch" | "recognize";
    }) => boolean;
    authenticate: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: null;
        };
    };
    batchItems: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, batchId: string, args_2: {
        state: "canceled" | "completed" | "failed" | "queued" | "running" | "skipped" | "waiting" | null;
    }, page: {
        after: number | null;
        limit: number;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                code: string | null;
                costMicros: number | null;
                index: number;
                jobId: string | null;
                message: string | null;
                state: "canceled" | "completed" | "failed" | "queued" | "running" | "skipped" | "waiting";
                title: string | null;
                url: string;
            }[];
        };
    };
    batches: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, args_1: {
        before: string | null;
        limit: number;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                completedAt: number | null;
                costMicros: number;
                counts: {
                    completed: number;
                    failed: number;
                    running: number;
                    skipped: number;
                    total: number | null;
                    waiting: number;
                };
                createdAt: number;
                failure: ({
                    code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                    message: string;
                    retryable: boolean;
                } & {
                    quote?: {
                        costMicros: number;
                        seconds: number;
                    } & {
                        isEstimate?: boolean;
                    };
                }) | null;
                id: string;
                kind: "import" | "transcription";
                maxCostMicros: number | null;
                origin: string | null;
                state: "canceled" | "completed" | "failed" | "queued" | "running";
                title: string | null;
                webhookUrl: string | null;
            }[];
        };
    };
    beginWebhookTest: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, url: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                batch: {
                    completedAt: number | null;
                    costMicros: number;
                    counts: {
                        completed: number;
                        failed: number;
                        running: number;
                        skipped: number;
                        total: number | null;
                        waiting: number;
                    };
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "import" | "transcription";
                    maxCostMicros: number | null;
                    origin: string | null;
                    state: "canceled" | "completed" | "failed" | "queued" | "running";
                    title: string | null;
                    webhookUrl: string | null;
                } | null;
                delivery: {
                    attemptError: "ADDRESS_NOT_PUBLIC" | "CONNECTION_FAILED" | "INTERRUPTED" | "REDIRECTED" | "REFUSED" | "TIMED_OUT" | null;
                    attemptedAt: number | null;
                    attempts: number;
                    batchId: string | null;
                    createdAt: number;
                    id: string;
                    jobId: string | null;
                    nextAt: number | null;
                    responseBody: string | null;
                    state: "delivered" | "failed" | "pending";
                    status: number | null;
                    type: "batch.canceled" | "batch.completed" | "batch.failed" | "import.completed" | "import.failed" | "transcription.completed" | "transcription.failed" | "webhook.test";
                    url: string;
                };
                job: ({
                    attempts: number;
                    carry: ({
                        audioCodec: string | null;
                        contentType: string;
                        downloadedBytes: number;
                        durationSeconds: number;
                        fileSizeBytes: number;
                        filename: string;
                        height: number | null;
                        note: string | null;
                        sha256: string;
                        stored: {
                            attempt: number;
                            hasThumbnail: boolean;
                        };
                        title: string;
                        videoCodec: string | null;
                        width: number | null;
                    } & {
                        billedBytes?: number;
                        clip?: {
                            actualStartSeconds: number;
                            endSeconds: number;
                            startSeconds: number;
                        };
                        transcoded?: boolean;
                    }) | null;
                    completedAt: number | null;
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "import";
                    leaseNumber: number;
                    origin: string | null;
                    progress: ({
                        bytesPerSecond: number | null;
                        downloadedBytes: number;
                        percent: number | null;
                        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                        totalBytes: number | null;
                    } & {
                        durationIsEstimate?: boolean;
                        durationSeconds?: number | null;
                        neededBytes?: number;
                        wantedBytes?: number;
                        wantedSeconds?: number;
                    }) | null;
                    removedAt: number | null;
                    request: {
                        audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                        audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                        clip: {
                            endSeconds: number | null;
                            startSeconds: number | null;
                        } | null;
                        includeAudio: boolean;
                        includeVideo: boolean;
                        storageBucket: string | null;
                        storageClass: string | null;
                        storageFilename: string | null;
                        storagePath: string | null;
                        storageReturnLocation: boolean;
                        store: boolean;
                        url: string;
                        videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                        webhookUrl: string | null;
                    };
                    result: ({
                        audioCodec: string | null;
                        bucket: {
                            bucket: string;
                            key: string;
                            url: string;
                        } | null;
                        contentType: string;
                        costMicros: number;
                        downloadedBytes: number;
                        durationSeconds: number;
                        expiresAt: number;
                        fileSizeBytes: number;
                        filename: string;
                        height: number | null;
                        note: string | null;
                        sha256: string;
                        stored: {
                            attempt: number;
                            hasThumbnail: boolean;
                        };
                        title: string;
                        videoCodec: string | null;
                        width: number | null;
                    } & {
                        billedBytes?: number;
                        clip?: {
                            actualStartSeconds: number;
                            endSeconds: number;
                            startSeconds: number;
                        };
                        transcoded?: boolean;
                    }) | null;
                    startedAt: number | null;
                    state: "completed" | "failed" | "queued" | "running";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
                } & {
                    batch?: {
                        id: string;
                        index: number;
                    };
                }) | ({
                    attempts: number;
                    carry: ({
                        attempt: number;
                        downloadedBytes: number;
                        durationSeconds: number;
                        pieces: {
                            durationSeconds: number;
                            key: string;
                            offsetSeconds: number;
                            sizeBytes: number;
                        }[];
                        waits: number;
                    } & {
                        chapters?: {
                            endSeconds: number;
                            startSeconds: number;
                            title: string;
                        }[];
                        mediaSeconds?: number;
                        title?: string;
                    }) | null;
                    completedAt: number | null;
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "transcription";
                    leaseNumber: number;
                    origin: string | null;
                    progress: ({
                        bytesPerSecond: number | null;
                        downloadedBytes: number;
                        percent: number | null;
                        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                        totalBytes: number | null;
                    } & {
                        durationIsEstimate?: boolean;
                        durationSeconds?: number | null;
                        neededBytes?: number;
                        wantedBytes?: number;
                        wantedSeconds?: number;
                    }) | null;
                    removedAt: number | null;
                    request: {
                        captionsFirst: boolean;
                        clip: {
                            endSeconds: number | null;
                            startSeconds: number | null;
                        } | null;
                        importId: string | null;
                        language: string | null;
                        maxCostMicros: number | null;
                        provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                        providerOptions: string | null;
                        speakers: {
                            max: number | null;
                            min: number | null;
                        } | null;
                        uploadId: string | null;
                        url: string | null;
                        webhookUrl: string | null;
                        words: boolean;
                    };
                    result: {
                        attempt: number;
                        chapters: {
                            endSeconds: number;
                            startSeconds: number;
                            title: string;
                        }[];
                        costMicros: number;
                        downloadCostMicros: number | null;
                        durationSeconds: number;
                        hasSpeakers: boolean;
                        hasWords: boolean;
                        language: string;
                        plainBytes: number | null;
                        segments: number;
                        source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                        step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                        title: string | null;
                    } | null;
                    startedAt: number | null;
                    state: "completed" | "failed" | "queued" | "running";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
                } & {
                    batch?: {
                        id: string;
                        index: number;
                    };
                }) | null;
                lease: string;
                seeds: string[];
            };
        };
    };
    cancel: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, jobId: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                job: ({
                    attempts: number;
                    carry: ({
                        audioCodec: string | null;
                        contentType: string;
                        downloadedBytes: number;
                        durationSeconds: number;
                        fileSizeBytes: number;
                        filename: string;
                        height: number | null;
                        note: string | null;
                        sha256: string;
                        stored: {
                            attempt: number;
                            hasThumbnail: boolean;
                        };
                        title: string;
                        videoCodec: string | null;
                        width: number | null;
                    } & {
                        billedBytes?: number;
                        clip?: {
                            actualStartSeconds: number;
                            endSeconds: number;
                            startSeconds: number;
                        };
                        transcoded?: boolean;
                    }) | null;
                    completedAt: number | null;
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "import";
                    leaseNumber: number;
                    origin: string | null;
                    progress: ({
                        bytesPerSecond: number | null;
                        downloadedBytes: number;
                        percent: number | null;
                        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                        totalBytes: number | null;
                    } & {
                        durationIsEstimate?: boolean;
                        durationSeconds?: number | null;
                        neededBytes?: number;
                        wantedBytes?: number;
                        wantedSeconds?: number;
                    }) | null;
                    removedAt: number | null;
                    request: {
                        audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                        audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                        clip: {
                            endSeconds: number | null;
                            startSeconds: number | null;
                        } | null;
                        includeAudio: boolean;
                        includeVideo: boolean;
                        storageBucket: string | null;
                        storageClass: string | null;
                        storageFilename: string | null;
                        storagePath: string | null;
                        storageReturnLocation: boolean;
                        store: boolean;
                        url: string;
                        videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                        webhookUrl: string | null;
                    };
                    result: ({
                        audioCodec: string | null;
                        bucket: {
                            bucket: string;
                            key: string;
                            url: string;
                        } | null;
                        contentType: string;
                        costMicros: number;
                        downloadedBytes: number;
                        durationSeconds: number;
                        expiresAt: number;
                        fileSizeBytes: number;
                        filename: string;
                        height: number | null;
                        note: string | null;
                        sha256: string;
                        stored: {
                            attempt: number;
                            hasThumbnail: boolean;
                        };
                        title: string;
                        videoCodec: string | null;
                        width: number | null;
                    } & {
                        billedBytes?: number;
                        clip?: {
                            actualStartSeconds: number;
                            endSeconds: number;
                            startSeconds: number;
                        };
                        transcoded?: boolean;
                    }) | null;
                    startedAt: number | null;
                    state: "completed" | "failed" | "queued" | "running";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
                } & {
                    batch?: {
                        id: string;
                        index: number;
                    };
                }) | ({
                    attempts: number;
                    carry: ({
                        attempt: number;
                        downloadedBytes: number;
                        durationSeconds: number;
                        pieces: {
                            durationSeconds: number;
                            key: string;
                            offsetSeconds: number;
                            sizeBytes: number;
                        }[];
                        waits: number;
                    } & {
                        chapters?: {
                            endSeconds: number;
                            startSeconds: number;
                            title: string;
                        }[];
                        mediaSeconds?: number;
                        title?: string;
                    }) | null;
                    completedAt: number | null;
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "transcription";
                    leaseNumber: number;
                    origin: string | null;
                    progress: ({
                        bytesPerSecond: number | null;
                        downloadedBytes: number;
                        percent: number | null;
                        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                        totalBytes: number | null;
                    } & {
                        durationIsEstimate?: boolean;
                        durationSeconds?: number | null;
                        neededBytes?: number;
                        wantedBytes?: number;
                        wantedSeconds?: number;
                    }) | null;
                    removedAt: number | null;
                    request: {
                        captionsFirst: boolean;
                        clip: {
                            endSeconds: number | null;
                            startSeconds: number | null;
                        } | null;
                        importId: string | null;
                        language: string | null;
                        maxCostMicros: number | null;
                        provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                        providerOptions: string | null;
                        speakers: {
                            max: number | null;
                            min: number | null;
                        } | null;
                        uploadId: string | null;
                        url: string | null;
                        webhookUrl: string | null;
                        words: boolean;
                    };
                    result: {
                        attempt: number;
                        chapters: {
                            endSeconds: number;
                            startSeconds: number;
                            title: string;
                        }[];
                        costMicros: number;
                        downloadCostMicros: number | null;
                        durationSeconds: number;
                        hasSpeakers: boolean;
                        hasWords: boolean;
                        language: string;
                        plainBytes: number | null;
                        segments: number;
                        source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                        step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                        title: string | null;
                    } | null;
                    startedAt: number | null;
                    state: "completed" | "failed" | "queued" | "running";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
                } & {
                    batch?: {
                        id: string;
                        index: number;
                    };
                });
                version: number;
            };
        };
    };
    cancelBatch: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, batchId: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                batch: {
                    completedAt: number | null;
                    costMicros: number;
                    counts: {
                        completed: number;
                        failed: number;
                        running: number;
                        skipped: number;
                        total: number | null;
                        waiting: number;
                    };
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "import" | "transcription";
                    maxCostMicros: number | null;
                    origin: string | null;
                    state: "canceled" | "completed" | "failed" | "queued" | "running";
                    title: string | null;
                    webhookUrl: string | null;
                };
                stopped: {
                    attempt: number;
                    jobId: string;
                }[];
            };
        };
    };
    change: (args_0: {} & {
        isSuspended?: boolean;
        limits?: {} & {
            concurrentJobs?: {} & {
                import?: number | null;
                transcription?: number | null;
            };
            freeWork?: {} & {
                bytesPerHour?: number | null;
                engineSecondsPerHour?: number | null;
            };
            requestsPerHour?: {} & {
                general?: number | null;
                import?: number | null;
                status?: number | null;
                transcribe?: number | null;
            };
            uploadBytes?: number | null;
        };
        name?: string;
    }) => {
        available: number;
        balance: number;
        createdAt: number;
        held: number;
        id: string;
        isSuspended: boolean;
        lastUsedAt: number | null;
        limits: {
            concurrentJobs: {
                import: number;
                transcription: number;
            };
            freeWork: {
                bytesPerHour: number;
                engineSecondsPerHour: number;
            };
            requestsPerHour: {
                general: number;
                import: number;
                status: number;
                transcribe: number;
            };
            uploadBytes: number;
        };
        liveJobs: number;
        name: string;
    } | null;
    changeSince: (keyHash: string, jobId: string, seen: number) => "unchanged" | {
        job: ({
            attempts: number;
            carry: ({
                audioCodec: string | null;
                contentType: string;
                downloadedBytes: number;
                durationSeconds: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                transcoded?: boolean;
            }) | null;
            completedAt: number | null;
            createdAt: number;
            failure: ({
                code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                message: string;
                retryable: boolean;
            } & {
                quote?: {
                    costMicros: number;
                    seconds: number;
                } & {
                    isEstimate?: boolean;
                };
            }) | null;
            id: string;
            kind: "import";
            leaseNumber: number;
            origin: string | null;
            progress: ({
                bytesPerSecond: number | null;
                downloadedBytes: number;
                percent: number | null;
                stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                totalBytes: number | null;
            } & {
                durationIsEstimate?: boolean;
                durationSeconds?: number | null;
                neededBytes?: number;
                wantedBytes?: number;
                wantedSeconds?: number;
            }) | null;
            removedAt: number | null;
            request: {
                audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                includeAudio: boolean;
                includeVideo: boolean;
                storageBucket: string | null;
                storageClass: string | null;
                storageFilename: string | null;
                storagePath: string | null;
                storageReturnLocation: boolean;
                store: boolean;
                url: string;
                videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                webhookUrl: string | null;
            };
            result: ({
                audioCodec: string | null;
                bucket: {
                    bucket: string;
                    key: string;
                    url: string;
                } | null;
                contentType: string;
                costMicros: number;
                downloadedBytes: number;
                durationSeconds: number;
                expiresAt: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                transcoded?: boolean;
            }) | null;
            startedAt: number | null;
            state: "completed" | "failed" | "queued" | "running";
            step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
        } & {
            batch?: {
                id: string;
                index: number;
            };
        }) | ({
            attempts: number;
            carry: ({
                attempt: number;
                downloadedBytes: number;
                durationSeconds: number;
                pieces: {
                    durationSeconds: number;
                    key: string;
                    offsetSeconds: number;
                    sizeBytes: number;
                }[];
                waits: number;
            } & {
                chapters?: {
                    endSeconds: number;
                    startSeconds: number;
                    title: string;
                }[];
                mediaSeconds?: number;
                title?: string;
            }) | null;
            completedAt: number | null;
            createdAt: number;
            failure: ({
                code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                message: string;
                retryable: boolean;
            } & {
                quote?: {
                    costMicros: number;
                    seconds: number;
                } & {
                    isEstimate?: boolean;
                };
            }) | null;
            id: string;
            kind: "transcription";
            leaseNumber: number;
            origin: string | null;
            progress: ({
                bytesPerSecond: number | null;
                downloadedBytes: number;
                percent: number | null;
                stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                totalBytes: number | null;
            } & {
                durationIsEstimate?: boolean;
                durationSeconds?: number | null;
                neededBytes?: number;
                wantedBytes?: number;
                wantedSeconds?: number;
            }) | null;
            removedAt: number | null;
            request: {
                captionsFirst: boolean;
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                importId: string | null;
                language: string | null;
                maxCostMicros: number | null;
                provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                providerOptions: string | null;
                speakers: {
                    max: number | null;
                    min: number | null;
                } | null;
                uploadId: string | null;
                url: string | null;
                webhookUrl: string | null;
                words: boolean;
            };
            result: {
                attempt: number;
                chapters: {
                    endSeconds: number;
                    startSeconds: number;
                    title: string;
                }[];
                costMicros: number;
                downloadCostMicros: number | null;
                durationSeconds: number;
                hasSpeakers: boolean;
                hasWords: boolean;
                language: string;
                plainBytes: number | null;
                segments: number;
                source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                title: string | null;
            } | null;
            startedAt: number | null;
            state: "completed" | "failed" | "queued" | "running";
            step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
        } & {
            batch?: {
                id: string;
                index: number;
            };
        });
        version: number;
    } | null;
    checkKey: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: null;
        };
    };
    checkPreview: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: null;
        };
    };
    checkStart: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, kind: "import" | "transcription") => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: null;
        };
    };
    checkSuspension: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: null;
        };
    };
    claim: (jobId: string, step: "audio" | "captions" | "deliver" | "fetch" | "recognize", lease?: string | undefined, leases?: number | undefined) => ({
        job: ({
            attempts: number;
            carry: ({
                audioCodec: string | null;
                contentType: string;
                downloadedBytes: number;
                durationSeconds: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                transcoded?: boolean;
            }) | null;
            completedAt: number | null;
            createdAt: number;
            failure: ({
                code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                message: string;
                retryable: boolean;
            } & {
                quote?: {
                    costMicros: number;
                    seconds: number;
                } & {
                    isEstimate?: boolean;
                };
            }) | null;
            id: string;
            kind: "import";
            leaseNumber: number;
            origin: string | null;
            progress: ({
                bytesPerSecond: number | null;
                downloadedBytes: number;
                percent: number | null;
                stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                totalBytes: number | null;
            } & {
                durationIsEstimate?: boolean;
                durationSeconds?: number | null;
                neededBytes?: number;
                wantedBytes?: number;
                wantedSeconds?: number;
            }) | null;
            removedAt: number | null;
            request: {
                audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                includeAudio: boolean;
                includeVideo: boolean;
                storageBucket: string | null;
                storageClass: string | null;
                storageFilename: string | null;
                storagePath: string | null;
                storageReturnLocation: boolean;
                store: boolean;
                url: string;
                videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                webhookUrl: string | null;
            };
            result: ({
                audioCodec: string | null;
                bucket: {
                    bucket: string;
                    key: string;
                    url: string;
                } | null;
                contentType: string;
                costMicros: number;
                downloadedBytes: number;
                durationSeconds: number;
                expiresAt: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                transcoded?: boolean;
            }) | null;
            startedAt: number | null;
            state: "completed" | "failed" | "queued" | "running";
            step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
        } & {
            batch?: {
                id: string;
                index: number;
            };
        }) | ({
            attempts: number;
            carry: ({
                attempt: number;
                downloadedBytes: number;
                durationSeconds: number;
                pieces: {
                    durationSeconds: number;
                    key: string;
                    offsetSeconds: number;
                    sizeBytes: number;
                }[];
                waits: number;
            } & {
                chapters?: {
                    endSeconds: number;
                    startSeconds: number;
                    title: string;
                }[];
                mediaSeconds?: number;
                title?: string;
            }) | null;
            completedAt: number | null;
            createdAt: number;
            failure: ({
                code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                message: string;
                retryable: boolean;
            } & {
                quote?: {
                    costMicros: number;
                    seconds: number;
                } & {
                    isEstimate?: boolean;
                };
            }) | null;
            id: string;
            kind: "transcription";
            leaseNumber: number;
            origin: string | null;
            progress: ({
                bytesPerSecond: number | null;
                downloadedBytes: number;
                percent: number | null;
                stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                totalBytes: number | null;
            } & {
                durationIsEstimate?: boolean;
                durationSeconds?: number | null;
                neededBytes?: number;
                wantedBytes?: number;
                wantedSeconds?: number;
            }) | null;
            removedAt: number | null;
            request: {
                captionsFirst: boolean;
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                importId: string | null;
                language: string | null;
                maxCostMicros: number | null;
                provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                providerOptions: string | null;
                speakers: {
                    max: number | null;
                    min: number | null;
                } | null;
                uploadId: string | null;
                url: string | null;
                webhookUrl: string | null;
                words: boolean;
            };
            result: {
                attempt: number;
                chapters: {
                    endSeconds: number;
                    startSeconds: number;
                    title: string;
                }[];
                costMicros: number;
                downloadCostMicros: number | null;
                durationSeconds: number;
                hasSpeakers: boolean;
                hasWords: boolean;
                language: string;
                plainBytes: number | null;
                segments: number;
                source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                title: string | null;
            } | null;
            startedAt: number | null;
            state: "completed" | "failed" | "queued" | "running";
            step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
        } & {
            batch?: {
                id: string;
                index: number;
            };
        });
        lease: string;
        stored: {
            contentType: string;
            durationSeconds: number | null;
            key: string;
            sizeBytes: number;
            title: string;
        } | null;
    } & {
        agreed?: {
            bytes: number | null;
            seconds: number | null;
        };
    }) | null;
    claimCopy: (jobId: string) => {
        job: {
            attempts: number;
            carry: ({
                audioCodec: string | null;
                contentType: string;
                downloadedBytes: number;
                durationSeconds: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                transcoded?: boolean;
            }) | null;
            completedAt: number | null;
            createdAt: number;
            failure: ({
                code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                message: string;
                retryable: boolean;
            } & {
                quote?: {
                    costMicros: number;
                    seconds: number;
                } & {
                    isEstimate?: boolean;
                };
            }) | null;
            id: string;
            kind: "import";
            leaseNumber: number;
            origin: string | null;
            progress: ({
                bytesPerSecond: number | null;
                downloadedBytes: number;
                percent: number | null;
                stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                totalBytes: number | null;
            } & {
                durationIsEstimate?: boolean;
                durationSeconds?: number | null;
                neededBytes?: number;
                wantedBytes?: number;
                wantedSeconds?: number;
            }) | null;
            removedAt: number | null;
            request: {
                audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                includeAudio: boolean;
                includeVideo: boolean;
                storageBucket: string | null;
                storageClass: string | null;
                storageFilename: string | null;
                storagePath: string | null;
                storageReturnLocation: boolean;
                store: boolean;
                url: string;
                videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                webhookUrl: string | null;
            };
            result: ({
                audioCodec: string | null;
                bucket: {
                    bucket: string;
                    key: string;
                    url: string;
                } | null;
                contentType: string;
                costMicros: number;
                downloadedBytes: number;
                durationSeconds: number;
                expiresAt: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                transcoded?: boolean;
            }) | null;
            startedAt: number | null;
            state: "completed" | "failed" | "queued" | "running";
            step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
        } & {
            batch?: {
                id: string;
                index: number;
            };
        };
        lease: string;
        note: string | null;
    } | null;
    claimDelivery: (id: string) => {
        batch: {
            completedAt: number | null;
            costMicros: number;
            counts: {
                completed: number;
                failed: number;
                running: number;
                skipped: number;
                total: number | null;
                waiting: number;
            };
            createdAt: number;
            failure: ({
                code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                message: string;
                retryable: boolean;
            } & {
                quote?: {
                    costMicros: number;
                    seconds: number;
                } & {
                    isEstimate?: boolean;
                };
            }) | null;
            id: string;
            kind: "import" | "transcription";
            maxCostMicros: number | null;
            origin: string | null;
            state: "canceled" | "completed" | "failed" | "queued" | "running";
            title: string | null;
            webhookUrl: string | null;
        } | null;
        delivery: {
            attemptError: "ADDRESS_NOT_PUBLIC" | "CONNECTION_FAILED" | "INTERRUPTED" | "REDIRECTED" | "REFUSED" | "TIMED_OUT" | null;
            attemptedAt: number | null;
            attempts: number;
            batchId: string | null;
            createdAt: number;
            id: string;
            jobId: string | null;
            nextAt: number | null;
            responseBody: string | null;
            state: "delivered" | "failed" | "pending";
            status: number | null;
            type: "batch.canceled" | "batch.completed" | "batch.failed" | "import.completed" | "import.failed" | "transcription.completed" | "transcription.failed" | "webhook.test";
            url: string;
        };
        job: ({
            attempts: number;
            carry: ({
                audioCodec: string | null;
                contentType: string;
                downloadedBytes: number;
                durationSeconds: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                transcoded?: boolean;
            }) | null;
            completedAt: number | null;
            createdAt: number;
            failure: ({
                code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                message: string;
                retryable: boolean;
            } & {
                quote?: {
                    costMicros: number;
                    seconds: number;
                } & {
                    isEstimate?: boolean;
                };
            }) | null;
            id: string;
            kind: "import";
            leaseNumber: number;
            origin: string | null;
            progress: ({
                bytesPerSecond: number | null;
                downloadedBytes: number;
                percent: number | null;
                stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                totalBytes: number | null;
            } & {
                durationIsEstimate?: boolean;
                durationSeconds?: number | null;
                neededBytes?: number;
                wantedBytes?: number;
                wantedSeconds?: number;
            }) | null;
            removedAt: number | null;
            request: {
                audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                includeAudio: boolean;
                includeVideo: boolean;
                storageBucket: string | null;
                storageClass: string | null;
                storageFilename: string | null;
                storagePath: string | null;
                storageReturnLocation: boolean;
                store: boolean;
                url: string;
                videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                webhookUrl: string | null;
            };
            result: ({
                audioCodec: string | null;
                bucket: {
                    bucket: string;
                    key: string;
                    url: string;
                } | null;
                contentType: string;
                costMicros: number;
                downloadedBytes: number;
                durationSeconds: number;
                expiresAt: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                transcoded?: boolean;
            }) | null;
            startedAt: number | null;
            state: "completed" | "failed" | "queued" | "running";
            step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
        } & {
            batch?: {
                id: string;
                index: number;
            };
        }) | ({
            attempts: number;
            carry: ({
                attempt: number;
                downloadedBytes: number;
                durationSeconds: number;
                pieces: {
                    durationSeconds: number;
                    key: string;
                    offsetSeconds: number;
                    sizeBytes: number;
                }[];
                waits: number;
            } & {
                chapters?: {
                    endSeconds: number;
                    startSeconds: number;
                    title: string;
                }[];
                mediaSeconds?: number;
                title?: string;
            }) | null;
            completedAt: number | null;
            createdAt: number;
            failure: ({
                code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                message: string;
                retryable: boolean;
            } & {
                quote?: {
                    costMicros: number;
                    seconds: number;
                } & {
                    isEstimate?: boolean;
                };
            }) | null;
            id: string;
            kind: "transcription";
            leaseNumber: number;
            origin: string | null;
            progress: ({
                bytesPerSecond: number | null;
                downloadedBytes: number;
                percent: number | null;
                stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                totalBytes: number | null;
            } & {
                durationIsEstimate?: boolean;
                durationSeconds?: number | null;
                neededBytes?: number;
                wantedBytes?: number;
                wantedSeconds?: number;
            }) | null;
            removedAt: number | null;
            request: {
                captionsFirst: boolean;
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                importId: string | null;
                language: string | null;
                maxCostMicros: number | null;
                provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                providerOptions: string | null;
                speakers: {
                    max: number | null;
                    min: number | null;
                } | null;
                uploadId: string | null;
                url: string | null;
                webhookUrl: string | null;
                words: boolean;
            };
            result: {
                attempt: number;
                chapters: {
                    endSeconds: number;
                    startSeconds: number;
                    title: string;
                }[];
                costMicros: number;
                downloadCostMicros: number | null;
                durationSeconds: number;
                hasSpeakers: boolean;
                hasWords: boolean;
                language: string;
                plainBytes: number | null;
                segments: number;
                source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                title: string | null;
            } | null;
            startedAt: number | null;
            state: "completed" | "failed" | "queued" | "running";
            step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
        } & {
            batch?: {
                id: string;
                index: number;
            };
        }) | null;
        lease: string;
        seeds: string[];
    } | null;
    claimIdempotency: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, claim: {
        fingerprint: string;
        key: string;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                isReused: boolean;
                jobId: string;
            } | null;
        };
    };
    claimItem: (batchId: string, index: number) => {
        batchId: string;
        index: number;
        item: {
            kind: "import";
            request: {
                audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                includeAudio: boolean;
                includeVideo: boolean;
                storageBucket: string | null;
                storageClass: string | null;
                storageFilename: string | null;
                storagePath: string | null;
                storageReturnLocation: boolean;
                store: boolean;
                videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                webhookUrl: string | null;
            };
        } | {
            kind: "transcription";
            request: {
                captionsFirst: boolean;
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                language: string | null;
                maxCostMicros: number | null;
                provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                providerOptions: string | null;
                speakers: {
                    max: number | null;
                    min: number | null;
                } | null;
                webhookUrl: string | null;
                words: boolean;
            };
        };
        lease: string;
        reuseWithinSeconds: number;
        url: string;
    } | null;
    claimListing: (batchId: string) => {
        batchId: string;
        lease: string;
        limit: number;
        url: string;
    } | null;
    cleanedUp: (jobId: string) => void;
    closeEventStream: (streamId: string) => void;
    complete: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, done: {
        charge: number;
        finished: {
            kind: "import";
            result: {
                audioCodec: string | null;
                bucket: {
                    bucket: string;
                    key: string;
                    url: string;
                } | null;
                contentType: string;
                downloadedBytes: number;
                durationSeconds: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                transcoded?: boolean;
            };
        } | {
            kind: "transcription";
            result: {
                attempt: number;
                chapters: {
                    endSeconds: number;
                    startSeconds: number;
                    title: string;
                }[];
                downloadCostMicros: number | null;
                durationSeconds: number;
                hasSpeakers: boolean;
                hasWords: boolean;
                language: string;
                plainBytes: number | null;
                segments: number;
                source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                title: string | null;
            };
        };
        keys: string[];
    }) => boolean;
    copyLeaseState: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }) => "continue" | "lost" | "over";
    countDeadLetter: (id: string) => {
        attemptError: "ADDRESS_NOT_PUBLIC" | "CONNECTION_FAILED" | "INTERRUPTED" | "REDIRECTED" | "REFUSED" | "TIMED_OUT" | null;
        attemptedAt: number | null;
        attempts: number;
        batchId: string | null;
        createdAt: number;
        id: string;
        jobId: string | null;
        nextAt: number | null;
        responseBody: string | null;
        state: "delivered" | "failed" | "pending";
        status: number | null;
        type: "batch.canceled" | "batch.completed" | "batch.failed" | "import.completed" | "import.failed" | "transcription.completed" | "transcription.failed" | "webhook.test";
        url: string;
    } | null;
    credit: (amount: number, reference: string) => {
        ok: false;
        refusal: {
            code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
            facts: {
                [x: string]: string | number | boolean | {
                    message: string;
                    path: string;
                }[];
            };
            message: string;
        };
    } | {
        ok: true;
        value: {
            available: number;
            balance: number;
            credited: boolean;
            held: number;
        };
    } | null;
    deliveries: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, filter: {
        jobId: string | null;
        state: "delivered" | "failed" | "pending" | null;
    }, page: {
        before: string | null;
        limit: number;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                attemptError: "ADDRESS_NOT_PUBLIC" | "CONNECTION_FAILED" | "INTERRUPTED" | "REDIRECTED" | "REFUSED" | "TIMED_OUT" | null;
                attemptedAt: number | null;
                attempts: number;
                batchId: string | null;
                createdAt: number;
                id: string;
                jobId: string | null;
                nextAt: number | null;
                responseBody: string | null;
                state: "delivered" | "failed" | "pending";
                status: number | null;
                type: "batch.canceled" | "batch.completed" | "batch.failed" | "import.completed" | "import.failed" | "transcription.completed" | "transcription.failed" | "webhook.test";
                url: string;
            }[];
        };
    };
    discardReceivedFile: (id: string) => void;
    eventsAfter: (keyHash: string, streamId: string, after: number) => {
        events: {
            at: number;
            batch: {
                completedAt: number | null;
                costMicros: number;
                counts: {
                    completed: number;
                    failed: number;
                    running: number;
                    skipped: number;
                    total: number | null;
                    waiting: number;
                };
                createdAt: number;
                failure: ({
                    code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                    message: string;
                    retryable: boolean;
                } & {
                    quote?: {
                        costMicros: number;
                        seconds: number;
                    } & {
                        isEstimate?: boolean;
                    };
                }) | null;
                id: string;
                kind: "import" | "transcription";
                maxCostMicros: number | null;
                origin: string | null;
                state: "canceled" | "completed" | "failed" | "queued" | "running";
                title: string | null;
                webhookUrl: string | null;
            } | null;
            id: string;
            job: ({
                attempts: number;
                carry: ({
                    audioCodec: string | null;
                    contentType: string;
                    downloadedBytes: number;
                    durationSeconds: number;
                    fileSizeBytes: number;
                    filename: string;
                    height: number | null;
                    note: string | null;
                    sha256: string;
                    stored: {
                        attempt: number;
                        hasThumbnail: boolean;
                    };
                    title: string;
                    videoCodec: string | null;
                    width: number | null;
                } & {
                    billedBytes?: number;
                    clip?: {
                        actualStartSeconds: number;
                        endSeconds: number;
                        startSeconds: number;
                    };
                    transcoded?: boolean;
                }) | null;
                completedAt: number | null;
                createdAt: number;
                failure: ({
                    code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                    message: string;
                    retryable: boolean;
                } & {
                    quote?: {
                        costMicros: number;
                        seconds: number;
                    } & {
                        isEstimate?: boolean;
                    };
                }) | null;
                id: string;
                kind: "import";
                leaseNumber: number;
                origin: string | null;
                progress: ({
                    bytesPerSecond: number | null;
                    downloadedBytes: number;
                    percent: number | null;
                    stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                    totalBytes: number | null;
                } & {
                    durationIsEstimate?: boolean;
                    durationSeconds?: number | null;
                    neededBytes?: number;
                    wantedBytes?: number;
                    wantedSeconds?: number;
                }) | null;
                removedAt: number | null;
                request: {
                    audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                    audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                    clip: {
                        endSeconds: number | null;
                        startSeconds: number | null;
                    } | null;
                    includeAudio: boolean;
                    includeVideo: boolean;
                    storageBucket: string | null;
                    storageClass: string | null;
                    storageFilename: string | null;
                    storagePath: string | null;
                    storageReturnLocation: boolean;
                    store: boolean;
                    url: string;
                    videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                    webhookUrl: string | null;
                };
                result: ({
                    audioCodec: string | null;
                    bucket: {
                        bucket: string;
                        key: string;
                        url: string;
                    } | null;
                    contentType: string;
                    costMicros: number;
                    downloadedBytes: number;
                    durationSeconds: number;
                    expiresAt: number;
                    fileSizeBytes: number;
                    filename: string;
                    height: number | null;
                    note: string | null;
                    sha256: string;
                    stored: {
                        attempt: number;
                        hasThumbnail: boolean;
                    };
                    title: string;
                    videoCodec: string | null;
                    width: number | null;
                } & {
                    billedBytes?: number;
                    clip?: {
                        actualStartSeconds: number;
                        endSeconds: number;
                        startSeconds: number;
                    };
                    transcoded?: boolean;
                }) | null;
                startedAt: number | null;
                state: "completed" | "failed" | "queued" | "running";
                step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
            } & {
                batch?: {
                    id: string;
                    index: number;
                };
            }) | ({
                attempts: number;
                carry: ({
                    attempt: number;
                    downloadedBytes: number;
                    durationSeconds: number;
                    pieces: {
                        durationSeconds: number;
                        key: string;
                        offsetSeconds: number;
                        sizeBytes: number;
                    }[];
                    waits: number;
                } & {
                    chapters?: {
                        endSeconds: number;
                        startSeconds: number;
                        title: string;
                    }[];
                    mediaSeconds?: number;
                    title?: string;
                }) | null;
                completedAt: number | null;
                createdAt: number;
                failure: ({
                    code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                    message: string;
                    retryable: boolean;
                } & {
                    quote?: {
                        costMicros: number;
                        seconds: number;
                    } & {
                        isEstimate?: boolean;
                    };
                }) | null;
                id: string;
                kind: "transcription";
                leaseNumber: number;
                origin: string | null;
                progress: ({
                    bytesPerSecond: number | null;
                    downloadedBytes: number;
                    percent: number | null;
                    stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                    totalBytes: number | null;
                } & {
                    durationIsEstimate?: boolean;
                    durationSeconds?: number | null;
                    neededBytes?: number;
                    wantedBytes?: number;
                    wantedSeconds?: number;
                }) | null;
                removedAt: number | null;
                request: {
                    captionsFirst: boolean;
                    clip: {
                        endSeconds: number | null;
                        startSeconds: number | null;
                    } | null;
                    importId: string | null;
                    language: string | null;
                    maxCostMicros: number | null;
                    provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                    providerOptions: string | null;
                    speakers: {
                        max: number | null;
                        min: number | null;
                    } | null;
                    uploadId: string | null;
                    url: string | null;
                    webhookUrl: string | null;
                    words: boolean;
                };
                result: {
                    attempt: number;
                    chapters: {
                        endSeconds: number;
                        startSeconds: number;
                        title: string;
                    }[];
                    costMicros: number;
                    downloadCostMicros: number | null;
                    durationSeconds: number;
                    hasSpeakers: boolean;
                    hasWords: boolean;
                    language: string;
                    plainBytes: number | null;
                    segments: number;
                    source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                    title: string | null;
                } | null;
                startedAt: number | null;
                state: "completed" | "failed" | "queued" | "running";
                step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
            } & {
                batch?: {
                    id: string;
                    index: number;
                };
            }) | null;
            type: "batch.canceled" | "batch.completed" | "batch.failed" | "import.completed" | "import.failed" | "job.started" | "transcription.completed" | "transcription.failed";
        }[];
        isBusy: boolean;
        last: number;
    } | null;
    failListing: (report: {
        batchId: string;
        lease: string;
    }, reason: {
        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
        message: string;
        retryable: boolean;
    } & {
        quote?: {
            costMicros: number;
            seconds: number;
        } & {
            isEstimate?: boolean;
        };
    }, args_2?: ({} & {
        retryAfterMs?: number;
    }) | undefined) => boolean;
    failStep: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, reason: {
        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
        message: string;
        retryable: boolean;
    } & {
        quote?: {
            costMicros: number;
            seconds: number;
        } & {
            isEstimate?: boolean;
        };
    }, downloadedBytes?: number | undefined) => boolean;
    finishFetch: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, args_1: {
        facts: {
            audioCodec: string | null;
            contentType: string;
            downloadedBytes: number;
            durationSeconds: number;
            extension: string;
            height: number | null;
            note: string | null;
            sha256: string;
            sizeBytes: number;
            title: string;
            videoCodec: string | null;
            width: number | null;
        } & {
            clip?: {
                actualStartSeconds: number;
                endSeconds: number;
                startSeconds: number;
            };
            transcoded?: boolean;
        };
        stored: {
            attempt: number;
            hasThumbnail: boolean;
        };
    }) => "accepted" | "lost" | "repeated";
    finishListing: (report: {
        batchId: string;
        lease: string;
    }, listed: {
        items: {
            title: string | null;
            url: string;
        }[];
        title: string | null;
    }) => boolean;
    freeIdempotency: (key: string) => void;
    giveBack: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, failed?: ({} & {
        delayMs?: number;
        downloadedBytes?: number;
        isUsed?: boolean;
        reason?: {
            code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
            message: string;
            retryable: boolean;
        } & {
            quote?: {
                costMicros: number;
                seconds: number;
            } & {
                isEstimate?: boolean;
            };
        };
    }) | undefined) => boolean;
    holdsLease: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }) => boolean;
    join: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, joinKey: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                isReused: boolean;
                jobId: string;
            } | null;
        };
    };
    leasedJob: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }) => ({
        attempts: number;
        carry: ({
            audioCodec: string | null;
            contentType: string;
            downloadedBytes: number;
            durationSeconds: number;
            fileSizeBytes: number;
            filename: string;
            height: number | null;
            note: string | null;
            sha256: string;
            stored: {
                attempt: number;
                hasThumbnail: boolean;
            };
            title: string;
            videoCodec: string | null;
            width: number | null;
        } & {
            billedBytes?: number;
            clip?: {
                actualStartSeconds: number;
                endSeconds: number;
                startSeconds: number;
            };
            transcoded?: boolean;
        }) | null;
        completedAt: number | null;
        createdAt: number;
        failure: ({
            code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
            message: string;
            retryable: boolean;
        } & {
            quote?: {
                costMicros: number;
                seconds: number;
            } & {
                isEstimate?: boolean;
            };
        }) | null;
        id: string;
        kind: "import";
        leaseNumber: number;
        origin: string | null;
        progress: ({
            bytesPerSecond: number | null;
            downloadedBytes: number;
            percent: number | null;
            stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
            totalBytes: number | null;
        } & {
            durationIsEstimate?: boolean;
            durationSeconds?: number | null;
            neededBytes?: number;
            wantedBytes?: number;
            wantedSeconds?: number;
        }) | null;
        removedAt: number | null;
        request: {
            audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
            audioQuality: "best" | "high" | "low" | "lowest" | "medium";
            clip: {
                endSeconds: number | null;
                startSeconds: number | null;
            } | null;
            includeAudio: boolean;
            includeVideo: boolean;
            storageBucket: string | null;
            storageClass: string | null;
            storageFilename: string | null;
            storagePath: string | null;
            storageReturnLocation: boolean;
            store: boolean;
            url: string;
            videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
            webhookUrl: string | null;
        };
        result: ({
            audioCodec: string | null;
            bucket: {
                bucket: string;
                key: string;
                url: string;
            } | null;
            contentType: string;
            costMicros: number;
            downloadedBytes: number;
            durationSeconds: number;
            expiresAt: number;
            fileSizeBytes: number;
            filename: string;
            height: number | null;
            note: string | null;
            sha256: string;
            stored: {
                attempt: number;
                hasThumbnail: boolean;
            };
            title: string;
            videoCodec: string | null;
            width: number | null;
        } & {
            billedBytes?: number;
            clip?: {
                actualStartSeconds: number;
                endSeconds: number;
                startSeconds: number;
            };
            transcoded?: boolean;
        }) | null;
        startedAt: number | null;
        state: "completed" | "failed" | "queued" | "running";
        step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
    } & {
        batch?: {
            id: string;
            index: number;
        };
    }) | ({
        attempts: number;
        carry: ({
            attempt: number;
            downloadedBytes: number;
            durationSeconds: number;
            pieces: {
                durationSeconds: number;
                key: string;
                offsetSeconds: number;
                sizeBytes: number;
            }[];
            waits: number;
        } & {
            chapters?: {
                endSeconds: number;
                startSeconds: number;
                title: string;
            }[];
            mediaSeconds?: number;
            title?: string;
        }) | null;
        completedAt: number | null;
        createdAt: number;
        failure: ({
            code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
            message: string;
            retryable: boolean;
        } & {
            quote?: {
                costMicros: number;
                seconds: number;
            } & {
                isEstimate?: boolean;
            };
        }) | null;
        id: string;
        kind: "transcription";
        leaseNumber: number;
        origin: string | null;
        progress: ({
            bytesPerSecond: number | null;
            downloadedBytes: number;
            percent: number | null;
            stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
            totalBytes: number | null;
        } & {
            durationIsEstimate?: boolean;
            durationSeconds?: number | null;
            neededBytes?: number;
            wantedBytes?: number;
            wantedSeconds?: number;
        }) | null;
        removedAt: number | null;
        request: {
            captionsFirst: boolean;
            clip: {
                endSeconds: number | null;
                startSeconds: number | null;
            } | null;
            importId: string | null;
            language: string | null;
            maxCostMicros: number | null;
            provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
            providerOptions: string | null;
            speakers: {
                max: number | null;
                min: number | null;
            } | null;
            uploadId: string | null;
            url: string | null;
            webhookUrl: string | null;
            words: boolean;
        };
        result: {
            attempt: number;
            chapters: {
                endSeconds: number;
                startSeconds: number;
                title: string;
            }[];
            costMicros: number;
            downloadCostMicros: number | null;
            durationSeconds: number;
            hasSpeakers: boolean;
            hasWords: boolean;
            language: string;
            plainBytes: number | null;
            segments: number;
            source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
            step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
            title: string | null;
        } | null;
        startedAt: number | null;
        state: "completed" | "failed" | "queued" | "running";
        step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
    } & {
        batch?: {
            id: string;
            index: number;
        };
    }) | null;
    ledger: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, page: {
        before: string | null;
        limit: number;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                amount: number;
                at: number;
                id: string;
                jobId: string | null;
                kind: "charge" | "credit" | "hold" | "release";
            }[];
        };
    };
    look: () => {
        available: number;
        balance: number;
        createdAt: number;
        held: number;
        id: string;
        isSuspended: boolean;
        lastUsedAt: number | null;
        limits: {
            concurrentJobs: {
                import: number;
                transcription: number;
            };
            freeWork: {
                bytesPerHour: number;
                engineSecondsPerHour: number;
            };
            requestsPerHour: {
                general: number;
                import: number;
                status: number;
                transcribe: number;
            };
            uploadBytes: number;
        };
        liveJobs: number;
        name: string;
    } | null;
    markUploadReady: (args_0: {
        attempt: number;
        contentType: string | null;
        durationSeconds: number | null;
        id: string;
        sizeBytes: number;
    }) => {
        attempt: number;
        contentType: string | null;
        createdAt: number;
        durationSeconds: number | null;
        expiresAt: number;
        filename: string;
        id: string;
        multipartId: string | null;
        sizeBytes: number;
        state: "pending" | "ready" | "removed";
    } | null;
    mayStart: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: null;
        };
    };
    noteLookup: (work: {
        bytes: number;
        engineMs: number;
    }) => void;
    noteToCleanUp: (jobId: string) => string | null;
    noteUpload: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, args_1: {
        key: string;
        uploadId: string | null;
    }) => boolean;
    openEventStream: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, streamId: string, lastEventId: string | null) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                after: number;
            };
        };
    };
    openJobs: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                completedAt: number | null;
                costMicros: number | null;
                createdAt: number;
                failureCode: string | null;
                id: string;
                kind: "import" | "transcription";
                removedAt: number | null;
                startedAt: number | null;
                state: "completed" | "failed" | "queued" | "running";
                title: string | null;
                url: string | null;
            }[];
        };
    };
    pauseCopy: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, pause: {
        kind: "more";
    } | {
        kind: "retry";
        reason: {
            code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
            message: string;
            retryable: boolean;
        } & {
            quote?: {
                costMicros: number;
                seconds: number;
            } & {
                isEstimate?: boolean;
            };
        };
    }) => boolean;
    postpone: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, postponement: {
        delayMs: number;
    } & {
        carry?: ({
            audioCodec: string | null;
            contentType: string;
            downloadedBytes: number;
            durationSeconds: number;
            fileSizeBytes: number;
            filename: string;
            height: number | null;
            note: string | null;
            sha256: string;
            stored: {
                attempt: number;
                hasThumbnail: boolean;
            };
            title: string;
            videoCodec: string | null;
            width: number | null;
        } & {
            billedBytes?: number;
            clip?: {
                actualStartSeconds: number;
                endSeconds: number;
                startSeconds: number;
            };
            transcoded?: boolean;
        }) | ({
            attempt: number;
            downloadedBytes: number;
            durationSeconds: number;
            pieces: {
                durationSeconds: number;
                key: string;
                offsetSeconds: number;
                sizeBytes: number;
            }[];
            waits: number;
        } & {
            chapters?: {
                endSeconds: number;
                startSeconds: number;
                title: string;
            }[];
            mediaSeconds?: number;
            title?: string;
        }) | null;
        diskBytes?: number;
        downloadedBytes?: number;
    }) => boolean;
    progress: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, report: {
        bytesPerSecond: number | null;
        downloadedBytes: number;
        percent: number | null;
        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
        totalBytes: number | null;
    } & {
        durationIsEstimate?: boolean;
        durationSeconds?: number | null;
        neededBytes?: number;
        wantedBytes?: number;
        wantedSeconds?: number;
    }) => "continue" | "lost" | "stop";
    read: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, jobId: string, kind: "import" | "transcription" | null) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                job: ({
                    attempts: number;
                    carry: ({
                        audioCodec: string | null;
                        contentType: string;
                        downloadedBytes: number;
                        durationSeconds: number;
                        fileSizeBytes: number;
                        filename: string;
                        height: number | null;
                        note: string | null;
                        sha256: string;
                        stored: {
                            attempt: number;
                            hasThumbnail: boolean;
                        };
                        title: string;
                        videoCodec: string | null;
                        width: number | null;
                    } & {
                        billedBytes?: number;
                        clip?: {
                            actualStartSeconds: number;
                            endSeconds: number;
                            startSeconds: number;
                        };
                        transcoded?: boolean;
                    }) | null;
                    completedAt: number | null;
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "import";
                    leaseNumber: number;
                    origin: string | null;
                    progress: ({
                        bytesPerSecond: number | null;
                        downloadedBytes: number;
                        percent: number | null;
                        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                        totalBytes: number | null;
                    } & {
                        durationIsEstimate?: boolean;
                        durationSeconds?: number | null;
                        neededBytes?: number;
                        wantedBytes?: number;
                        wantedSeconds?: number;
                    }) | null;
                    removedAt: number | null;
                    request: {
                        audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                        audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                        clip: {
                            endSeconds: number | null;
                            startSeconds: number | null;
                        } | null;
                        includeAudio: boolean;
                        includeVideo: boolean;
                        storageBucket: string | null;
                        storageClass: string | null;
                        storageFilename: string | null;
                        storagePath: string | null;
                        storageReturnLocation: boolean;
                        store: boolean;
                        url: string;
                        videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                        webhookUrl: string | null;
                    };
                    result: ({
                        audioCodec: string | null;
                        bucket: {
                            bucket: string;
                            key: string;
                            url: string;
                        } | null;
                        contentType: string;
                        costMicros: number;
                        downloadedBytes: number;
                        durationSeconds: number;
                        expiresAt: number;
                        fileSizeBytes: number;
                        filename: string;
                        height: number | null;
                        note: string | null;
                        sha256: string;
                        stored: {
                            attempt: number;
                            hasThumbnail: boolean;
                        };
                        title: string;
                        videoCodec: string | null;
                        width: number | null;
                    } & {
                        billedBytes?: number;
                        clip?: {
                            actualStartSeconds: number;
                            endSeconds: number;
                            startSeconds: number;
                        };
                        transcoded?: boolean;
                    }) | null;
                    startedAt: number | null;
                    state: "completed" | "failed" | "queued" | "running";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
                } & {
                    batch?: {
                        id: string;
                        index: number;
                    };
                }) | ({
                    attempts: number;
                    carry: ({
                        attempt: number;
                        downloadedBytes: number;
                        durationSeconds: number;
                        pieces: {
                            durationSeconds: number;
                            key: string;
                            offsetSeconds: number;
                            sizeBytes: number;
                        }[];
                        waits: number;
                    } & {
                        chapters?: {
                            endSeconds: number;
                            startSeconds: number;
                            title: string;
                        }[];
                        mediaSeconds?: number;
                        title?: string;
                    }) | null;
                    completedAt: number | null;
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "transcription";
                    leaseNumber: number;
                    origin: string | null;
                    progress: ({
                        bytesPerSecond: number | null;
                        downloadedBytes: number;
                        percent: number | null;
                        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                        totalBytes: number | null;
                    } & {
                        durationIsEstimate?: boolean;
                        durationSeconds?: number | null;
                        neededBytes?: number;
                        wantedBytes?: number;
                        wantedSeconds?: number;
                    }) | null;
                    removedAt: number | null;
                    request: {
                        captionsFirst: boolean;
                        clip: {
                            endSeconds: number | null;
                            startSeconds: number | null;
                        } | null;
                        importId: string | null;
                        language: string | null;
                        maxCostMicros: number | null;
                        provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                        providerOptions: string | null;
                        speakers: {
                            max: number | null;
                            min: number | null;
                        } | null;
                        uploadId: string | null;
                        url: string | null;
                        webhookUrl: string | null;
                        words: boolean;
                    };
                    result: {
                        attempt: number;
                        chapters: {
                            endSeconds: number;
                            startSeconds: number;
                            title: string;
                        }[];
                        costMicros: number;
                        downloadCostMicros: number | null;
                        durationSeconds: number;
                        hasSpeakers: boolean;
                        hasWords: boolean;
                        language: string;
                        plainBytes: number | null;
                        segments: number;
                        source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                        step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                        title: string | null;
                    } | null;
                    startedAt: number | null;
                    state: "completed" | "failed" | "queued" | "running";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
                } & {
                    batch?: {
                        id: string;
                        index: number;
                    };
                });
                version: number;
            };
        };
    };
    readBatch: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, batchId: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                completedAt: number | null;
                costMicros: number;
                counts: {
                    completed: number;
                    failed: number;
                    running: number;
                    skipped: number;
                    total: number | null;
                    waiting: number;
                };
                createdAt: number;
                failure: ({
                    code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                    message: string;
                    retryable: boolean;
                } & {
                    quote?: {
                        costMicros: number;
                        seconds: number;
                    } & {
                        isEstimate?: boolean;
                    };
                }) | null;
                id: string;
                kind: "import" | "transcription";
                maxCostMicros: number | null;
                origin: string | null;
                state: "canceled" | "completed" | "failed" | "queued" | "running";
                title: string | null;
                webhookUrl: string | null;
            };
        };
    };
    refuseItem: (report: {
        batchId: string;
        index: number | null;
        lease: string;
    }, refusal: {
        code: string;
        message: string;
        retryable: boolean;
    }) => boolean;
    refuseStep: (jobId: string, step: "audio" | "captions" | "deliver" | "fetch" | "recognize", leases: number, reason: {
        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
        message: string;
        retryable: boolean;
    } & {
        quote?: {
            costMicros: number;
            seconds: number;
        } & {
            isEstimate?: boolean;
        };
    }) => boolean;
    remove: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, jobId: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                job: ({
                    attempts: number;
                    carry: ({
                        audioCodec: string | null;
                        contentType: string;
                        downloadedBytes: number;
                        durationSeconds: number;
                        fileSizeBytes: number;
                        filename: string;
                        height: number | null;
                        note: string | null;
                        sha256: string;
                        stored: {
                            attempt: number;
                            hasThumbnail: boolean;
                        };
                        title: string;
                        videoCodec: string | null;
                        width: number | null;
                    } & {
                        billedBytes?: number;
                        clip?: {
                            actualStartSeconds: number;
                            endSeconds: number;
                            startSeconds: number;
                        };
                        transcoded?: boolean;
                    }) | null;
                    completedAt: number | null;
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "import";
                    leaseNumber: number;
                    origin: string | null;
                    progress: ({
                        bytesPerSecond: number | null;
                        downloadedBytes: number;
                        percent: number | null;
                        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                        totalBytes: number | null;
                    } & {
                        durationIsEstimate?: boolean;
                        durationSeconds?: number | null;
                        neededBytes?: number;
                        wantedBytes?: number;
                        wantedSeconds?: number;
                    }) | null;
                    removedAt: number | null;
                    request: {
                        audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                        audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                        clip: {
                            endSeconds: number | null;
                            startSeconds: number | null;
                        } | null;
                        includeAudio: boolean;
                        includeVideo: boolean;
                        storageBucket: string | null;
                        storageClass: string | null;
                        storageFilename: string | null;
                        storagePath: string | null;
                        storageReturnLocation: boolean;
                        store: boolean;
                        url: string;
                        videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                        webhookUrl: string | null;
                    };
                    result: ({
                        audioCodec: string | null;
                        bucket: {
                            bucket: string;
                            key: string;
                            url: string;
                        } | null;
                        contentType: string;
                        costMicros: number;
                        downloadedBytes: number;
                        durationSeconds: number;
                        expiresAt: number;
                        fileSizeBytes: number;
                        filename: string;
                        height: number | null;
                        note: string | null;
                        sha256: string;
                        stored: {
                            attempt: number;
                            hasThumbnail: boolean;
                        };
                        title: string;
                        videoCodec: string | null;
                        width: number | null;
                    } & {
                        billedBytes?: number;
                        clip?: {
                            actualStartSeconds: number;
                            endSeconds: number;
                            startSeconds: number;
                        };
                        transcoded?: boolean;
                    }) | null;
                    startedAt: number | null;
                    state: "completed" | "failed" | "queued" | "running";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
                } & {
                    batch?: {
                        id: string;
                        index: number;
                    };
                }) | ({
                    attempts: number;
                    carry: ({
                        attempt: number;
                        downloadedBytes: number;
                        durationSeconds: number;
                        pieces: {
                            durationSeconds: number;
                            key: string;
                            offsetSeconds: number;
                            sizeBytes: number;
                        }[];
                        waits: number;
                    } & {
                        chapters?: {
                            endSeconds: number;
                            startSeconds: number;
                            title: string;
                        }[];
                        mediaSeconds?: number;
                        title?: string;
                    }) | null;
                    completedAt: number | null;
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "transcription";
                    leaseNumber: number;
                    origin: string | null;
                    progress: ({
                        bytesPerSecond: number | null;
                        downloadedBytes: number;
                        percent: number | null;
                        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                        totalBytes: number | null;
                    } & {
                        durationIsEstimate?: boolean;
                        durationSeconds?: number | null;
                        neededBytes?: number;
                        wantedBytes?: number;
                        wantedSeconds?: number;
                    }) | null;
                    removedAt: number | null;
                    request: {
                        captionsFirst: boolean;
                        clip: {
                            endSeconds: number | null;
                            startSeconds: number | null;
                        } | null;
                        importId: string | null;
                        language: string | null;
                        maxCostMicros: number | null;
                        provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                        providerOptions: string | null;
                        speakers: {
                            max: number | null;
                            min: number | null;
                        } | null;
                        uploadId: string | null;
                        url: string | null;
                        webhookUrl: string | null;
                        words: boolean;
                    };
                    result: {
                        attempt: number;
                        chapters: {
                            endSeconds: number;
                            startSeconds: number;
                            title: string;
                        }[];
                        costMicros: number;
                        downloadCostMicros: number | null;
                        durationSeconds: number;
                        hasSpeakers: boolean;
                        hasWords: boolean;
                        language: string;
                        plainBytes: number | null;
                        segments: number;
                        source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                        step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                        title: string | null;
                    } | null;
                    startedAt: number | null;
                    state: "completed" | "failed" | "queued" | "running";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
                } & {
                    batch?: {
                        id: string;
                        index: number;
                    };
                });
                version: number;
            };
        };
    };
    removeUpload: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, id: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                attempt: number;
                contentType: string | null;
                createdAt: number;
                durationSeconds: number | null;
                expiresAt: number;
                filename: string;
                id: string;
                multipartId: string | null;
                sizeBytes: number;
                state: "pending" | "ready" | "removed";
            };
        };
    };
    replay: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, deliveryId: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                attemptError: "ADDRESS_NOT_PUBLIC" | "CONNECTION_FAILED" | "INTERRUPTED" | "REDIRECTED" | "REFUSED" | "TIMED_OUT" | null;
                attemptedAt: number | null;
                attempts: number;
                batchId: string | null;
                createdAt: number;
                id: string;
                jobId: string | null;
                nextAt: number | null;
                responseBody: string | null;
                state: "delivered" | "failed" | "pending";
                status: number | null;
                type: "batch.canceled" | "batch.completed" | "batch.failed" | "import.completed" | "import.failed" | "transcription.completed" | "transcription.failed" | "webhook.test";
                url: string;
            };
        };
    };
    replayFailed: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, since: number) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                more: boolean;
                replayed: number;
            };
        };
    };
    reportDelivery: (args_0: {
        id: string;
        lease: string;
        outcome: {
            attemptError: "ADDRESS_NOT_PUBLIC" | "CONNECTION_FAILED" | "INTERRUPTED" | "REDIRECTED" | "REFUSED" | "TIMED_OUT" | null;
            responseBody: string | null;
            retryAfterMs: number | null;
            status: number | null;
        };
    }) => {
        attemptError: "ADDRESS_NOT_PUBLIC" | "CONNECTION_FAILED" | "INTERRUPTED" | "REDIRECTED" | "REFUSED" | "TIMED_OUT" | null;
        attemptedAt: number | null;
        attempts: number;
        batchId: string | null;
        createdAt: number;
        id: string;
        jobId: string | null;
        nextAt: number | null;
        responseBody: string | null;
        state: "delivered" | "failed" | "pending";
        status: number | null;
        type: "batch.canceled" | "batch.completed" | "batch.failed" | "import.completed" | "import.failed" | "transcription.completed" | "transcription.failed" | "webhook.test";
        url: string;
    } | null;
    reportProgress: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, report: {
        bytesPerSecond: number | null;
        downloadedBytes: number;
        percent: number | null;
        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
        totalBytes: number | null;
    } & {
        durationIsEstimate?: boolean;
        durationSeconds?: number | null;
        neededBytes?: number;
        wantedBytes?: number;
        wantedSeconds?: number;
    }) => {
        agreedBytes: number | null;
        agreedSeconds: number | null;
        verdict: "continue" | "lost" | "stop";
    };
    reserveReceivedFile: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, file: {
        contentType: string | null;
        filename: string;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                attempt: number;
                contentType: string | null;
                createdAt: number;
                durationSeconds: number | null;
                expiresAt: number;
                filename: string;
                id: string;
                multipartId: string | null;
                sizeBytes: number;
                state: "pending" | "ready" | "removed";
            };
        };
    };
    reserveUpload: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, file: {
        contentType: string | null;
        filename: string;
        sizeBytes: number;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                attempt: number;
                contentType: string | null;
                createdAt: number;
                durationSeconds: number | null;
                expiresAt: number;
                filename: string;
                id: string;
                multipartId: string | null;
                sizeBytes: number;
                state: "pending" | "ready" | "removed";
            };
        };
    };
    retryBatch: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, batchId: string, args_2: {
        idempotency: {
            fingerprint: string;
            key: string;
        } | null;
        origin: string | null;
    } & {
        requestId?: string;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                batchId: string;
                total: number | null;
                webhookUrl: string | null;
            };
        };
    };
    reuse: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, args_1: {
        idempotency: {
            fingerprint: string;
            key: string;
        } | null;
        kind: "import" | "transcription";
        reuseKey: string;
        webhookUrl: string | null;
        withinMs: number;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                isReused: boolean;
                jobId: string;
            } | null;
        };
    };
    reuseItem: (report: {
        batchId: string;
        index: number | null;
        lease: string;
    }, reuseKey: string) => boolean;
    revokeKey: (keyId: string) => boolean | null;
    rotateWebhookSecret: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                createdAt: number;
                expiresAt: number | null;
                seed: string;
            }[];
        };
    };
    saveCopy: (args_0: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, note: string) => "continue" | "lost" | "over";
    sealedKey: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }) => string | null;
    startUploadAttempt: (args_0: {
        attempt: number;
        id: string;
        multipartId: string;
    }) => {
        attempt: number;
        contentType: string | null;
        createdAt: number;
        durationSeconds: number | null;
        expiresAt: number;
        filename: string;
        id: string;
        multipartId: string | null;
        sizeBytes: number;
        state: "pending" | "ready" | "removed";
    } | null;
    summary: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                accountId: string;
                available: number;
                balance: number;
                failedDeliveries: number;
                freeWork: {
                    bytesLeft: number;
                    engineSecondsLeft: number;
                    resetsAt: number;
                };
                held: number;
                limits: {
                    concurrentJobs: {
                        import: number;
                        transcription: number;
                    };
                    freeWork: {
                        bytesPerHour: number;
                        engineSecondsPerHour: number;
                    };
                    requestsPerHour: {
                        general: number;
                        import: number;
                        status: number;
                        transcribe: number;
                    };
                    uploadBytes: number;
                };
                name: string;
            };
        };
    };
    upload: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, id: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                attempt: number;
                contentType: string | null;
                createdAt: number;
                durationSeconds: number | null;
                expiresAt: number;
                filename: string;
                id: string;
                multipartId: string | null;
                sizeBytes: number;
                state: "pending" | "ready" | "removed";
            };
        };
    };
    uploadToComplete: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }, id: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                attempt: number;
                contentType: string | null;
                createdAt: number;
                durationSeconds: number | null;
                expiresAt: number;
                filename: string;
                id: string;
                multipartId: string | null;
                sizeBytes: number;
                state: "pending" | "ready" | "removed";
            };
        };
    };
    webhookSecrets: (identity: {
        endpoint: string;
        keyHash: string;
        rateClass: "general" | "import" | "status" | "transcribe";
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SERVICE_BUSY" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                createdAt: number;
                expiresAt: number | null;
                seed: string;
            }[];
        };
    };
};
export declare const FleetObject: {
    add: (step: {
        accountId: string;
        diskBytes: number;
        jobId: string;
        leases: number;
        rank: "batch" | "job" | "probe";
        step: "audio" | "captions" | "fetch" | "recognize";
        work: "cpu" | "network";
    }) => void;
    cancel: (args_0: {
        attempt: number;
        jobId: string;
    }) => void;
    ended: (placeId: string) => void;
    engines: () => {
        engines: {
            disk: {
                reservedBytes: number;
                totalBytes: number;
            };
            name: string;
            places: {
                cpu: {
                    taken: number;
                    total: number;
                };
                network: {
                    taken: number;
                    total: number;
                };
            };
            state: "draining" | "running" | "starting";
        }[];
        waiting: Map<string, {
            count: number;
            oldestMs: number;
        }>;
    };
    metrics: () => {
        engines: {
            draining: number;
            paused: number;
            running: number;
            starting: number;
            stopping: number;
            unfit: number;
        };
        places: {
            cpu: number;
            network: number;
        };
        placesTaken: {
            cpu: number;
            network: number;
        };
        starts: {
            counts: number[];
            totalMs: number;
        };
        waiting: Map<string, {
            count: number;
            oldestMs: number;
        }>;
    };
    placeForProbe: (accountId: string, timeoutMs: number, step?: "list" | "probe" | undefined) => {
        engine: string;
        id: string;
    } | null;
};
export declare const EngineObject: {
    launch: (timeoutMs?: number | undefined) => "failed" | "full" | "running";
    shutDown: () => void;
    state: (timeoutMs: number) => ({
        diskBytes: number;
        places: {
            cpu: number;
            network: number;
        };
        running: ({
            attempt: number;
            diskBytes: number;
            jobId: string;
            step: string;
        } & {
            accountId?: string;
            placeId?: string;
        })[];
        status: "draining" | "ok" | "unfit";
    } & {
        uptimeMs?: number;
    }) | null;
};
export declare const MetricsObject: {
    count: (event: {
        kind: "webhook attempt";
        outcome: "delivered" | "failed" | "retried";
    } | {
        kind: "dead letter";
        queue: "steps-dead" | "webhooks-dead";
    } | {
        kind: "served";
        sizeBytes: number;
    }, deadWebhook: {
        accountId: string;
        attempts: number;
        deliveryId: string;
        failedAt: number;
        host: string;
        jobId: string;
        status: number | null;
        type: string;
    } | null) => void;
    deadWebhooks: () => {
        accountId: string;
        attempts: number;
        deliveryId: string;
        failedAt: number;
        host: string;
        jobId: string;
        status: number | null;
        type: string;
    }[];
    outcomes: (fromHour: number) => {
        code: string;
        count: number;
        hour: number;
        kind: "import" | "transcription";
        outcome: "canceled" | "completed" | "failed";
        source: string;
    }[];
    report: (report: {
        accountId: string;
        ended: {
            bytesIn: number;
            bytesOut: number;
            code: string;
            costMicros: number;
            host: string;
            jobId: string;
            kind: "import" | "transcription";
            number: number;
            outcome: "canceled" | "completed" | "failed";
            requestId: string | null;
            seconds: {} & {
                audio?: number;
                captions?: number;
                deliver?: number;
                fetch?: number;
                recognize?: number;
            };
            waitedSeconds: number;
        } | null;
        heldMicros: number;
        totals: {
            bytesIn: number;
            bytesOut: number;
            chargedMicros: number;
            ended: {
                [x: string]: number;
            };
            ends: number;
            version: number;
        };
    }) => {
        isNewEnd: boolean;
    };
    sums: () => {
        bytesIn: number;
        bytesOut: number;
        chargedMicros: number;
        counters: {
            [x: string]: number;
        };
        ended: {
            [x: string]: number;
        };
        heldMicros: number;
    };
};
export declare const messages: {
    batch: (message: {
        accountId: string;
        batchId: string;
        index: number | null;
        v: 1;
    }) => void;
    cleanup: (message: {
        accountId: string;
        leftBy: {
            jobId: string;
        };
        v: 1;
    }) => void;
    delivery: (message: {
        accountId: string;
        deliveryId: string;
        v: 1;
    }) => void;
    step: (message: {
        accountId: string;
        jobId: string;
        step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
        v: 1;
    } & {
        diskBytes?: number;
        leases?: number;
        rank?: "batch";
    }) => void;
};
