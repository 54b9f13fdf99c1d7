import { deflateRawSync } from "node:zlib";

/** A zip archive as GitHub makes it: deflated, with a table at the end. */
export function makeZip(files: Readonly<Record<string, string | Buffer>>, lie?: { readonly size: number }): Buffer {
	const parts: Buffer[] = [];
	const table: Buffer[] = [];
	let offset = 0;
	for (const [name, text] of Object.entries(files)) {
		const packed = deflateRawSync(text);
		const local = Buffer.alloc(30);
		local.writeUInt32LE(0x04034b50, 0);
		local.writeUInt16LE(8, 8);
		local.writeUInt16LE(Buffer.byteLength(name), 26);
		const entry = Buffer.alloc(46);
		entry.writeUInt32LE(0x02014b50, 0);
		entry.writeUInt16LE(8, 10);
		entry.writeUInt32LE(packed.length, 20);
		entry.writeUInt32LE(lie?.size ?? Buffer.byteLength(text), 24);
		entry.writeUInt16LE(Buffer.byteLength(name), 28);
		entry.writeUInt32LE(offset, 42);
		parts.push(local, Buffer.from(name), packed);
		table.push(entry, Buffer.from(name));
		offset += 30 + Buffer.byteLength(name) + packed.length;
	}
	const directory = Buffer.concat(table);
	const end = Buffer.alloc(22);
	end.writeUInt32LE(0x06054b50, 0);
	end.writeUInt16LE(Object.keys(files).length, 10);
	end.writeUInt32LE(directory.length, 12);
	end.writeUInt32LE(offset, 16);
	return Buffer.concat([...parts, directory, end]);
}
