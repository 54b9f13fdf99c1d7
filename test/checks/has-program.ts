import { execFileSync } from "node:child_process";

/** True where a program runs. In CI it is always taken to: a toolchain that is missing there fails the tests. */
export function has(program: string, ...args: readonly string[]): boolean {
	if (process.env["CI"] !== undefined) return true;
	try {
		execFileSync(program, args, { stdio: "ignore" });
		return true;
	} catch {
		console.warn(`notice: tests with ${program} are left out: it does not run here`);
		return false;
	}
}
