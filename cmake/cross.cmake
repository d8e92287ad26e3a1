# Toolchain for the other architecture: Debian's cross compiler, and its libraries installed side by side
# (dpkg --add-architecture; tools/setup release). Chosen by CULPRIT_TARGET = x86_64 | aarch64.
# Programs that run during the build are for this machine; qemu-user runs those of the target.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CULPRIT_TARGET)
set(triple ${CULPRIT_TARGET}-linux-gnu)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${CULPRIT_TARGET})
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_CXX_COMPILER ${triple}-g++)
set(CMAKE_STRIP ${triple}-strip)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CULPRIT_TARGET}-static)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${triple}/pkgconfig:/usr/share/pkgconfig)
