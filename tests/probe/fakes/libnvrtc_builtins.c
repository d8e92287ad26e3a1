// The library that libnvrtc opens.
__attribute__((visibility("default"))) const int fake_builtins = 13000;
