/** The files that are origins themselves, then by how much of the path they share, then in byte order. */
export function nearestFirst(files: readonly string[], origins: readonly string[]): readonly string[] {
	return files
		.map((file) => ({ file, distance: Math.min(...origins.map((origin) => pathDistance(file, origin))) }))
		.sort((a, b) => a.distance - b.distance || (a.file < b.file ? -1 : 1))
		.map(({ file }) => file);
}

/** Steps up and down between the folders of two files; 0 for the same file. */
function pathDistance(a: string, b: string): number {
	if (a === b) return 0;
	const left = a.split("/").slice(0, -1);
	const right = b.split("/").slice(0, -1);
	let same = 0;
	while (same < left.length && same < right.length && left[same] === right[same]) same++;
	return 1 + left.length - same + right.length - same;
}
