import { inflateRawSync } from "node:zlib";

/** One file of an archive; its content is only unpacked when it is asked for. */
export interface ZipEntry {
	readonly name: string;
	/** Throws when the archive is damaged or the file is larger than the limit. */
	read(maxBytes: number): Buffer;
}

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const MAX_ENTRIES = 10_000;

/**
 * The files of a zip archive as GitHub packs artifacts: stored or deflated, without encryption, below 4 GiB. An artifact
 * is untrusted input: nothing is written here, names are data, and sizes are bounded before anything is unpacked.
 * Throws an Error for anything else.
 */
export function readZip(archive: Buffer): readonly ZipEntry[] {
	const end = findEnd(archive);
	const count = archive.readUInt16LE(end + 10);
	if (count > MAX_ENTRIES) throw new Error(`the archive has ${count} files, more than ${MAX_ENTRIES}`);
	let at = archive.readUInt32LE(end + 16);
	const entries: ZipEntry[] = [];
	for (let index = 0; index < count; index++) {
		if (at + 46 > archive.length || archive.readUInt32LE(at) !== ENTRY_SIGNATURE) throw new Error("the archive's table is damaged");
		const [nameBytes, extraBytes, commentBytes] = [
			archive.readUInt16LE(at + 28),
			archive.readUInt16LE(at + 30),
			archive.readUInt16LE(at + 32),
		];
		const place = {
			method: archive.readUInt16LE(at + 10),
			packed: archive.readUInt32LE(at + 20),
			size: archive.readUInt32LE(at + 24),
			offset: archive.readUInt32LE(at + 42),
		};
		const name = archive.subarray(at + 46, at + 46 + nameBytes).toString("utf8");
		if (!name.endsWith("/")) entries.push({ name, read: (maxBytes) => unpack(archive, name, place, maxBytes) });
		at += 46 + nameBytes + extraBytes + commentBytes;
	}
	return entries;
}

function findEnd(archive: Buffer): number {
	// A comment of up to 65,535 bytes may stand behind the record.
	for (let at = archive.length - END_BYTES; at >= Math.max(0, archive.length - END_BYTES - 0xffff); at--) {
		if (archive.readUInt32LE(at) === END_SIGNATURE) return at;
	}
	throw new Error("it is no zip archive");
}

function unpack(
	archive: Buffer,
	name: string,
	place: { readonly method: number; readonly packed: number; readonly size: number; readonly offset: number },
	maxBytes: number,
): Buffer {
	if (place.size > maxBytes) throw new Error(`${name} has ${place.size} bytes, more than ${maxBytes}`);
	const { offset } = place;
	if (offset + 30 > archive.length) throw new Error(`${name} lies outside of the archive`);
	const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
	const packed = archive.subarray(start, start + place.packed);
	if (packed.length !== place.packed) throw new Error(`${name} lies outside of the archive`);
	if (place.method === 0) return packed;
	if (place.method !== 8) throw new Error(`${name} is packed in a way that is not known (${place.method})`);
	const content = inflateRawSync(packed, { maxOutputLength: Math.max(1, maxBytes) });
	if (content.length !== place.size) throw new Error(`${name} has another size than the archive says`);
	return content;
}
