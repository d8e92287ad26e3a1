// fmt's own functions, compiled once. Debian's package has only the shared library, which a program that
// needs nothing but glibc cannot use. Header-only fmt costs three seconds for every source that formats.
#include <fmt/format-inl.h>

namespace fmt {
inline namespace v9 {
namespace detail {

// Functions that the headers declare as compiled elsewhere.
template thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template thousands_sep_result<wchar_t> thousands_sep_impl<wchar_t>(locale_ref);
template char decimal_point_impl<char>(locale_ref);
template wchar_t decimal_point_impl<wchar_t>(locale_ref);
template dragonbox::decimal_fp<float> dragonbox::to_decimal<float>(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal<double>(double) noexcept;
template locale_ref::locale_ref(const std::locale&);
template std::locale locale_ref::get<std::locale>() const;

}  // namespace detail
}  // namespace v9
}  // namespace fmt
