// Where a server shows this page: the addresses of its API; null on disk.

export const served = JSON.parse(document.querySelector('meta[name="mediaan-served"]')?.content ?? "null");
