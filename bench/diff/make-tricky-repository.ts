import { chmod, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { runGit } from "./make-diff-repository.ts";

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);
const withLine = (index: number, text: string): string => LINES.with(index, text).join("");

/** Makes two commits between which twelve files change, each in a way that diff parsers have been seen to get wrong. */
export async function makeTrickyRepository(folder: string): Promise<void> {
	const write = async (name: string, content: string | Buffer): Promise<void> => {
		await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
		await writeFile(path.join(folder, name), content);
	};
	await runGit(folder, ["init", "-q", "-b", "main", "."]);
	await write("image.png", Buffer.from([0x89, 0x50, 0, 1]));
	await write("crlf.txt", "one\r\ntwo\r\n");
	await write("deleted.txt", "gone\n");
	await symlink("old-target", path.join(folder, "link"));
	await write("run.sh", "#!/bin/sh\n");
	await write("old name.txt", LINES.join(""));
	await write("no-newline.txt", "a\nb");
	await write("with space.txt", LINES.join(""));
	await write("query.sql", "-- foo\n1\n2\n3\n4\n5\n-- end\n");
	await write("a b/b.txt", "1\n");
	await write('qu"ote\\é.txt', "1\n");
	await commit(folder);
	await write("image.png", Buffer.from([0x89, 0x50, 0, 2]));
	await write("crlf.txt", "one\r\n2\r\n");
	await rm(path.join(folder, "deleted.txt"));
	await rm(path.join(folder, "link"));
	await symlink("new-target", path.join(folder, "link"));
	await chmod(path.join(folder, "run.sh"), 0o755);
	await rename(path.join(folder, "old name.txt"), path.join(folder, "new name.txt"));
	await write("new.txt", "new\n");
	await write("no-newline.txt", "a\nb\nc");
	await write("with space.txt", withLine(9, "changed\n"));
	await write("query.sql", "++ bar\n1\n2\n3\n4\n5\n++ end\n");
	await write("a b/b.txt", "2\n");
	await write('qu"ote\\é.txt', "2\n");
	await commit(folder);
}

async function commit(folder: string): Promise<void> {
	await runGit(folder, ["add", "-A"]);
	await runGit(folder, ["-c", "user.name=Bench", "-c", "user.email=bench@example.invalid", "commit", "-q", "-m", "1"]);
}
