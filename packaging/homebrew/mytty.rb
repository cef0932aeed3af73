# The template of the formula: tools/formula.ts fills in what stands between @ when a release is made.
class Mytty < Formula
  desc "Shows what every coding agent in your terminals is doing"
  homepage "https://github.com/@REPOSITORY@"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/mytty-macos-arm64"
      sha256 "@macos-arm64@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/mytty-macos-x64"
      sha256 "@macos-x64@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/mytty-linux-arm64"
      sha256 "@linux-arm64@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/mytty-linux-x64"
      sha256 "@linux-x64@"
    end
  end

  def install
    bin.install Dir["mytty-*"].first => "mytty"
    generate_completions_from_executable(bin/"mytty", "completions")
    (man1/"mytty.1").write Utils.safe_popen_read(bin/"mytty", "man")
  end

  def caveats
    <<~EOS
      Start the server at every login, and let your agents report to it:
        mytty service install && mytty install
      Before you remove mytty:
        mytty uninstall --all && mytty service uninstall
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/mytty --version")
  end
end
