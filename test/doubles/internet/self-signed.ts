/**
 * A certificate for media.example, other.example, localhost and 127.0.0.1 that signs itself, valid for a hundred years:
 * `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -addext subjectAltName=…`.
 */
export const selfSigned = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBwzCCAWmgAwIBAgIUUjf+4U77bjt4/F2ZHuShyJ3lTT0wCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNdGVzdHMgb2YgSGF1bDAgFw0yNjExMjIwODM2MjJaGA8yMTI2
MTAyOTA4MzYyMlowGDEWMBQGA1UEAwwNdGVzdHMgb2YgSGF1bDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABPYaGA+EpTAai6pIauh4EZJt0/HpaEw7qxAnygKdk30R
xdZdIEhEfwFMvHmoZ+1LByh02KmdJnVuapUwTjbb04ejgY4wgYswHQYDVR0OBBYE
FI9Vp9jZO/ZAwcRmantONsqf7kPtMB8GA1UdIwQYMBaAFI9Vp9jZO/ZAwcRmantO
Nsqf7kPtMA8GA1UdEwEB/wQFMAMBAf8wOAYDVR0RBDEwL4INbWVkaWEuZXhhbXBs
ZYINb3RoZXIuZXhhbXBsZYIJbG9jYWxob3N0hwR/AAABMAoGCCqGSM49BAMCA0gA
MEUCIBcbJzfi99dMxXOEfam1/ueHM8PTCuu3rFSHKW1KYHq4AiEAm5tBoTd9evts
hQc/EWWJ9NwKe39FcT1LkeNHakxzcd4=
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGiOZ+bVnkAbQ8EcW
AoE9RMBizNcy51cQon5pV3vpSqihRANCAAT2GhgPhKUwGouqSGroeBGSbdPx6WhM
O6sQJ8oCnZN9EcXWXSBIRH8BTLx5qGftSwcodNipnSZ1bmqVME4229OH
-----END PRIVATE KEY-----
`,
}
