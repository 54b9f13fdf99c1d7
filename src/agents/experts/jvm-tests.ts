/** Maven's wrapper, Maven, Gradle's wrapper or Gradle, by what is there; one of them and never the next (D-07). */
export function jvmTestCommand(files: ReadonlySet<string>): string | undefined {
	if (files.has("pom.xml") || files.has("mvnw")) return files.has("mvnw") ? "./mvnw -B -ntp test" : "mvn -B -ntp test";
	if (files.has("gradlew")) return "./gradlew test";
	const gradle = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"].some((file) => files.has(file));
	return gradle ? "gradle test" : undefined;
}
